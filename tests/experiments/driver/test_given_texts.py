"""Folders of others: `worlds check`, `run tic` and the main loop take them as they are, texts and all."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pytest
from published_folders import DOMAINS, TASKS, TWINS, answer, told, write_folders

from agents.llm.stub import StubServer
from envs.pddl.language.issues import Severity
from envs.registry import WORLDS_FOLDER
from envs.variants import WRITTEN, Level
from experiments.config import ConfigError, RunConfig
from experiments.methods.translation import knowledge_of
from experiments.reporting.tic_tables import PAPER_METHODS
from experiments.run import main
from experiments.studies.tic import TicConfig, cells_of, envs_of
from experiments.worlds.check import findings_of


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return write_folders(tmp_path_factory.mktemp("published"))


def translate(out: Path, server: StubServer, *flags: str) -> list[dict[str, str]]:
    common = ("tic", "--executor", "serial", "--seeds", "0", "--base-url", server.url, "--out", str(out))
    assert main([*common, *flags]) == 0
    return list(csv.DictReader((out / "tic.csv").open(encoding="utf-8")))


@pytest.mark.slow
def test_a_folder_s_own_texts_are_asked_about_word_for_word_and_recorded(
    folders: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    envs = [str(folders[name]) for name in ("blocksworld", "termes")]
    with StubServer(answer) as server:
        rows = translate(tmp_path, server, "--env", *envs, "--tasks", "1", "--method", "tic-g1")
        asked = ["\n".join(m["content"] for m in body["messages"]) for body in server.seen.bodies]
    for name in ("blocksworld", "termes"):
        text, facts = told(name, 1).text, told(name, 1).facts
        (mine,) = [request for request in asked if text in request]
        assert f"There are {len(facts.objects)}" not in mine.replace(text, "")
    assert {(r["world"], r["level"], r["equality"], r["outcome"]) for r in rows} == {
        ("blocksworld", "given", "equivalent", "solved"),
        ("termes", "given", "equivalent", "solved"),
    }
    shown = capsys.readouterr().out
    assert "texts of the tasks: given (as they were given): blocksworld+given, termes+given" in shown
    assert "termes+given: rules: those of the built-in world termes, which declares the same" in shown
    assert "blocksworld+given: rules: none, so that nothing follows from what a text states" in shown
    provenance = json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))["provenance"]
    assert provenance["texts"] == {f"{env}+given": "given" for env in envs}


@pytest.mark.slow
@pytest.mark.parametrize("name", DOMAINS)
def test_a_published_folder_is_checked_and_prepared_without_a_change_by_hand(
    folders: dict[str, Path], name: str
) -> None:
    errors = [f for f in findings_of(str(folders[name])) if f.severity is Severity.ERROR]
    assert all(error.place.startswith("p_example") for error in errors), "\n".join(map(str, errors))
    (env,) = envs_of(TicConfig(env=(str(folders[name]),)))
    assert env == f"{folders[name]}+given"
    plan = cells_of(RunConfig.of(TicConfig(model="m", env=(env,)), turns=1), ())
    assert {unit.tasks for unit in plan.units} == {TASKS}
    assert {unit.method for unit in plan.units} == set(PAPER_METHODS), plan.left_out
    known = knowledge_of(env)
    assert bool(known.rules) == (name in TWINS)
    assert (known.example_task == told(name, 0).text) == (name not in ("grippers", "floortile", "termes"))


@pytest.mark.slow
def test_without_an_example_what_would_show_one_is_left_out_and_the_rest_runs(
    folders: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "blocks"
    shutil.copytree(folders["blocksworld"], mine)
    for path in [*mine.glob("p_example.*"), *mine.glob("p0[3-9].*"), *mine.glob("p[12]?.*")]:
        path.unlink()
    with StubServer(answer) as server:
        rows = translate(tmp_path / "out", server, "--env", str(mine))
        assert [(r["method"], r["task"]) for r in rows] == [
            ("tic-g3", "1"), ("tic-g3", "2"), ("tic-g1", "1"), ("tic-g1", "2"),
        ]  # fmt: skip
        assert "blocks+given: left out, as llm+p shows an example of the domain" in capsys.readouterr().out
        requests = server.seen.requests
        flags = ["--env", str(mine), "--method", "tic-ic", "--base-url", server.url]
        for job in (["tic", *flags], flags):
            assert main([*job, "--out", str(tmp_path / "none")]) == 2
            assert "add example.pddl" in capsys.readouterr().err
        assert server.seen.requests == requests


def test_a_level_that_is_asked_for_is_written_and_said_to_be(folders: dict[str, Path]) -> None:
    folder = str(folders["grippers"])
    assert envs_of(TicConfig(env=(folder, "termes"), levels=(Level.COMPACT,))) == (
        f"{folder}+compact", "termes+compact",
    )  # fmt: skip
    assert envs_of(TicConfig(env=(folder, "termes"))) == (
        f"{folder}+given", *(f"termes+{level}" for level in (*WRITTEN, Level.TERSE)),
    )  # fmt: skip
    assert knowledge_of(f"{folder}+compact").example_task == knowledge_of(folder).example_task


def test_a_built_in_world_has_no_given_text_and_says_which_it_has(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ["tic", "--env", "termes", "--levels", "given", "--model", "m", "--out", str(tmp_path)]
    assert main(flags) == 2
    assert "+explicit, +compact, +narrative behind the name write" in capsys.readouterr().err


def test_a_folder_that_cannot_be_terse_is_not_asked_for_a_folder(tmp_path: Path) -> None:
    for name in ("domain.pddl", "domain.nl", "example.pddl", "p01.pddl"):
        shutil.copyfile(WORLDS_FOLDER / "termes" / name, tmp_path / name)
    with pytest.raises(ConfigError) as refused:
        knowledge_of(f"{tmp_path}+terse")
    assert "write that file" in str(refused.value) and "name a folder" not in str(refused.value)
    with pytest.raises(ConfigError, match="name a folder, or a world with rules: barman"):
        knowledge_of("movie")


def test_an_example_without_a_program_gets_one_from_which_its_problem_follows(tmp_path: Path) -> None:
    for name in ("domain.pddl", "domain.nl", "example.pddl"):
        shutil.copyfile(WORLDS_FOLDER / "termes" / name, tmp_path / name)
    shutil.copyfile(WORLDS_FOLDER / "termes" / "p01.pddl", tmp_path / "p01.pddl")
    made, ours = knowledge_of(str(tmp_path)), knowledge_of("termes")
    assert made.example_ir == ours.example_ir, "of a twin, what its rules derive is left out"
    (tmp_path / "rules.lp").write_text("", encoding="utf-8")
    alone = knowledge_of(str(tmp_path))
    assert alone.rules == "" and len(alone.example_ir) > len(ours.example_ir)
    assert findings_of(str(tmp_path))[-1].place != "rules.lp"
    (tmp_path / "rules.lp").write_text(":- init(at(_)).\n", encoding="utf-8")
    assert any(f.place == "rules.lp" and "is broken" in f.message for f in findings_of(str(tmp_path)))


def test_the_main_loop_runs_over_a_published_folder(folders: dict[str, Path], tmp_path: Path) -> None:
    with StubServer(answer) as server:
        flags = ["--env", str(folders["blocksworld"]), "--method", "chain", "--tasks", "2", "--walks", "20"]
        live = ["--executor", "serial", "--base-url", server.url, "--out", str(tmp_path)]
        assert main([*flags, *live]) == 0
    rows = list(csv.DictReader((tmp_path / "results.csv").open(encoding="utf-8")))
    assert {row["outcome"] for row in rows} == {"solved"} and len(rows) == 2
    provenance = json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))["provenance"]
    assert list(provenance["texts"].values()) == ["given"]


@pytest.mark.slow
@pytest.mark.parametrize(("methods", "tasks"), [(("tic-g1",), 2), (PAPER_METHODS, 1)])
def test_all_published_folders_are_translated_rightly(
    folders: dict[str, Path], tmp_path: Path, methods: tuple[str, ...], tasks: int
) -> None:
    """Tiles and store areas that a text leaves unnamed get names of their own, under which no plan runs."""
    flags = ["--env", *map(str, folders.values()), "--tasks", str(tasks), "--method", *methods]
    with StubServer(answer) as server:
        rows = translate(tmp_path, server, *flags)
    assert len(rows) == len(DOMAINS) * tasks * len(methods)
    assert {(row["level"], row["equality"]) for row in rows} == {("given", "equivalent")}
    assert {row["outcome"] for row in rows if row["names"] == "kept"} == {"solved"}
    assert {row["world"] for row in rows if row["names"] != "kept"} == {"floortile", "storage"}


@pytest.mark.slow
@pytest.mark.parametrize("method", ["chain", "llm-once+repair"])
def test_the_main_loop_runs_over_all_published_folders(
    folders: dict[str, Path], tmp_path: Path, method: str
) -> None:
    with StubServer(answer) as server:
        envs = ["--env", *map(str, folders.values())]
        flags = ["--method", method, "--tasks", "2", "--walks", "20", "--executor", "serial"]
        assert main([*envs, *flags, "--base-url", server.url, "--out", str(tmp_path)]) == 0
    rows = list(csv.DictReader((tmp_path / "results.csv").open(encoding="utf-8")))
    assert {row["outcome"] for row in rows} == {"solved"} and len(rows) == 2 * len(DOMAINS)


def test_a_name_asks_for_a_given_text_or_for_neutral_names_not_for_both() -> None:
    with pytest.raises(ConfigError, match="leave out"):
        knowledge_of("termes+given+anonymised")
