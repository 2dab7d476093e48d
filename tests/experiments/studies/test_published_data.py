"""The published data set's files: read in all their forms, outputs judged beside the judgements."""

from __future__ import annotations

import csv
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from envs.planetarium.files import ParquetRows
from envs.planetarium.published import published_name, read_published
from envs.source import WorldNotFound, read_texts
from experiments.config import ConfigError
from experiments.studies.planetarium.study import main

#: A domain of its own: no bundled world has these predicates.
DOMAIN = """(define (domain lamps) (:requirements :strips)
  (:predicates (lamp ?l) (lit ?l) (dark ?l))
  (:action light :parameters (?l) :precondition (and (lamp ?l) (dark ?l))
    :effect (and (lit ?l) (not (dark ?l)))))"""


def problem(names: str, goal: str) -> str:
    lamps = names.split()
    init = " ".join(f"(lamp {lamp}) (dark {lamp})" for lamp in lamps)
    return f"(define (problem x) (:domain lamps) (:objects {names}) (:init {init}) (:goal {goal}))"


def row(number: int, names: str, placeholder: int) -> dict[str, object]:
    lit = problem(names, f"(and {' '.join(f'(lit {name})' for name in names.split())})")
    return {
        "id": number, "name": f"lamps_{number}", "domain": "lamps", "init": "all_dark", "goal": "all_lit",
        "num_objects": json.dumps([len(names.split())]), "problem_pddl": lit,
        "natural_language": f"There are the lamps {names}, all dark. Light them all.",
        "init_is_abstract": 0, "init_num_propositions": 2 * len(names.split()), "goal_is_abstract": 1,
        "goal_num_propositions": len(names.split()), "is_placeholder": placeholder,
    }  # fmt: skip


PROBLEMS = [row(10, "a b c", 0), row(2, "a b", 0), row(3, "a", 1)]
RIGHT, PARTLY = problem("a b", "(and (lit b) (lit a))"), problem("a b", "(lit a)")
OUTPUTS = [
    {"problem_id": 2, "output": RIGHT, "model_name": "m", "config": "", "parseable": 1, "valid": 1,
     "equivalent": 1},
    {"problem_id": 2, "output": PARTLY, "model_name": "n", "config": "t=0", "parseable": 1, "valid": 1,
     "equivalent": 1},
    {"problem_id": 10, "output": "no PDDL", "model_name": "n", "config": "t=0", "parseable": 0, "valid": 0,
     "equivalent": 0},
]  # fmt: skip
TABLES: dict[str, list[dict[str, object]]] = {
    "problems": PROBLEMS,
    "domains": [{"name": "lamps", "domain_pddl": DOMAIN}],
    "splits": [
        {"problem_id": n, "split_type": "random", "split": s} for n, s in ((2, "test"), (10, "train"))
    ],
    "llm_outputs": OUTPUTS,
}


def database(folder: Path) -> Path:
    file = folder / "dataset.db"
    with closing(sqlite3.connect(file)) as connection:
        for table, rows in TABLES.items():
            columns = list(rows[0])
            connection.execute(f"CREATE TABLE {table} ({', '.join(columns)})")
            marks = ", ".join("?" * len(columns))
            connection.executemany(f"INSERT INTO {table} VALUES ({marks})", [tuple(r.values()) for r in rows])
        connection.commit()
    return file


def json_lines(folder: Path) -> Path:
    for table, rows in TABLES.items():
        (folder / f"{table}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return folder / "problems.jsonl"


def parquet(folder: Path) -> Path:
    pytest.importorskip("pyarrow")
    for table, rows in TABLES.items():
        written = ParquetRows(folder / f"{table}.parquet")
        for one in rows:
            written.add(one)
        written.close()
    return folder / "problems.parquet"


@pytest.mark.parametrize("form", [database, json_lines, parquet])
def test_every_form_holds_the_same_pairs_in_the_order_of_their_ids(form, tmp_path):
    file = form(tmp_path)
    found = read_published(published_name(file, None))
    assert [pair.id for pair in found.pairs] == ["2", "3", "10"]
    assert [(p.objects, p.size, p.placeholder) for p in found.pairs] == [
        (2, 6, False), (1, 3, True), (3, 9, False),
    ]  # fmt: skip
    assert found.domains == {"lamps": DOMAIN}
    assert [p.id for p in read_published(published_name(file, "random/test")).pairs] == ["2"]
    texts = read_texts(f"planetarium:{file}", 3)
    assert (texts.domain, texts.problem_name) == (DOMAIN, "10") and "a b c" in texts.task


@pytest.mark.parametrize("form", [database, json_lines])
def test_outputs_are_judged_beside_the_published_judgements(form, tmp_path):
    out = tmp_path / "run"
    flags = ["--data", str(form(tmp_path)), "--outputs", "--executor", "serial", "--out", str(out)]
    assert main(flags) == 0
    rows = list(csv.DictReader((out / "planetarium.csv").open(encoding="utf-8")))
    assert [(r["arm"], r["pair"], r["answer"], r["verdict"]) for r in rows] == [
        ("m", "2", "problem", "equivalent"),
        ("n t=0", "2", "problem", "different"),
        ("n t=0", "10", "no_problem", ""),
    ]
    tables = (out / "tables.md").read_text(encoding="utf-8")
    assert "| n t=0 | correct | 2 | 0 | 0 | 1 | 1 |" in tables
    assert "| n t=0 | parseable | 2 | 1 | 0 | 0 | 1 |" in tables
    events = (out / "events.jsonl").read_bytes()
    assert main(flags) == 0 and (out / "events.jsonl").read_bytes() == events


def test_predictions_for_published_problems_are_judged_in_their_own_domain(tmp_path):
    answers = tmp_path / "mine.jsonl"
    answers.write_text(json.dumps({"id": "2", "prediction": RIGHT}), encoding="utf-8")
    data, out = database(tmp_path), tmp_path / "run"
    flags = ["--data", str(data), "--predictions", str(answers), "--executor", "serial", "--out", str(out)]
    assert main([*flags, "--split", "random/test"]) == 0
    (row,) = csv.DictReader((out / "planetarium.csv").open(encoding="utf-8"))
    assert row["verdict"] == "equivalent" and row["plan_length"] == "2"


def test_what_a_file_lacks_is_named(tmp_path):
    file = json_lines(tmp_path)
    for flags, complaint in (
        (["--data", str(file), "--outputs", "--split", "random/none"], "random/test, random/train"),
        (["--outputs"], "--data FILE"),
        (["--split", "random/test"], "--data FILE"),
    ):
        with pytest.raises(ConfigError, match=complaint):
            main(flags)
    (tmp_path / "domains.jsonl").unlink()
    with pytest.raises(ValueError, match=r"'lamps'.*write .*lamps\.pddl"):
        read_published(str(file))
    (tmp_path / "lamps.pddl").write_text(DOMAIN, encoding="utf-8")
    assert read_published(str(file)).domains == {"lamps": DOMAIN}
    (tmp_path / "empty.jsonl").write_text('{"id": 1}\n', encoding="utf-8")
    with pytest.raises((ValueError, WorldNotFound), match="row 1 has no domain"):
        read_texts(f"planetarium:{tmp_path / 'empty.jsonl'}", 1)
    with pytest.raises(ConfigError, match="no such table"):
        main(["--data", str(_without_tables(tmp_path)), "--outputs"])


def _without_tables(folder: Path) -> Path:
    with closing(sqlite3.connect(folder / "bare.db")) as connection:
        connection.execute("CREATE TABLE other (x)")
    return folder / "bare.db"
