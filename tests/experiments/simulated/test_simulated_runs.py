"""Whole runs with a simulated language model: the laws of searches, and that all behind it is as ever."""

from __future__ import annotations

import csv
import json
from dataclasses import asdict
from pathlib import Path

import pytest

from experiments.run import main
from experiments.runs.directory import RunDirectory
from experiments.runs.ledger import Ledger
from experiments.runs.records import EpisodeRecord, NodeRecord
from experiments.simulated.rates import PROFILES, Rates

SMALL = ("--walks", "20", "--t-max", "5", "--tasks", "2")


def run(out: Path, rates: Rates, *flags: str) -> Ledger:
    """A finished run of a model with these rates."""
    out.parent.mkdir(parents=True, exist_ok=True)
    path = out.with_suffix(".json")
    path.write_text(json.dumps(asdict(rates)), encoding="utf-8")
    assert main([*flags, *SMALL, "--model", f"simulated:{path}", "--out", str(out)]) == 0
    return Ledger(RunDirectory(out))


def best(nodes: tuple[NodeRecord, ...]) -> tuple[bool, float]:
    """The best of some candidates: solved, and its EW."""
    return max(((n.outcome == "SOLVED", n.score.ew or 0.0) for n in nodes), default=(False, 0.0))


def candidates(ledger: Ledger, episode: EpisodeRecord) -> tuple[NodeRecord, ...]:
    return tuple(n for n in ledger.nodes(episode.unit) if "." in n.id)


@pytest.mark.slow
def test_a_perfect_stand_in_is_solved_at_once(tmp_path: Path) -> None:
    envs = ("grippers", "movie", "termes", "tyreworld")
    found = run(tmp_path / "run", Rates(), "--env", *envs, "--method", "chain", "--executor", "serial")
    assert {e.solved for e in found.episodes} == {2} and len(found.episodes) == len(envs)
    for episode in found.episodes:
        assert [(n.id, n.outcome) for n in candidates(found, episode)] == [("1.1", "SOLVED")]


def test_a_search_of_which_every_answer_is_cut_off_counts_as_one_that_solved_nothing(tmp_path: Path) -> None:
    flags = ("--env", "grippers", "--method", "chain", "--executor", "serial")
    ledger = run(tmp_path / "run", Rates(truncate=1), *flags)
    (episode,) = ledger.episodes
    assert (episode.solved, episode.unanswered) == (0, False)


@pytest.mark.slow
def test_without_fixing_no_turn_is_better_than_the_first(tmp_path: Path) -> None:
    rates = Rates(forget=0.15, swap=0.1, garble=0.1, repeat=0.1, misstate=0.3)
    flags = ("--env", "grippers", "--method", "chain", "--turns", "3", "--seeds", "0", "1", "2", "3")
    found = run(tmp_path / "run", rates, *flags, "--executor", "serial")
    later = 0
    for episode in found.episodes:
        nodes = candidates(found, episode)
        assert best(nodes) == best(nodes[:1])
        later += len(nodes) - 1
    assert later


@pytest.mark.slow
def test_more_candidates_are_never_worse(tmp_path: Path) -> None:
    """The first candidates of a larger search are those of a smaller one."""
    flags = (
        "--env",
        "grippers",
        "--method",
        "best-of-n",
        "--turns",
        "1",
        "--np",
        "2",
        "--executor",
        "serial",
    )
    rates = PROFILES["weak"]
    few = run(tmp_path / "few", rates, *flags, "--nd", "2")
    many = run(tmp_path / "many", rates, *flags, "--nd", "6")
    few_nodes, many_nodes = ({n.id: n for e in f.episodes for n in candidates(f, e)} for f in (few, many))
    shared = set(few_nodes) & set(many_nodes)
    assert len(shared) == len(few_nodes)
    assert all(few_nodes[name].key == many_nodes[name].key for name in shared)
    assert best(tuple(many_nodes.values())) >= best(tuple(few_nodes.values()))


@pytest.mark.slow
def test_results_are_the_same_with_any_number_of_workers(tmp_path: Path) -> None:
    flags = ("--env", "grippers", "--method", "tree", "--np", "2", "--nd", "2", "--turns", "2")
    run(tmp_path / "one" / "run", PROFILES["weak"], *flags, "--executor", "serial")
    run(tmp_path / "two" / "run", PROFILES["weak"], *flags, "--executor", "process", "--workers", "2")
    results = [(tmp_path / name / "run" / "results.csv").read_bytes() for name in ("one", "two")]
    assert results[0] == results[1]


@pytest.mark.slow
def test_methods_that_search_plan_and_repair_all_run(tmp_path: Path) -> None:
    methods = ("tree-domprop", "refine+repair", "restarts", "intrinsic-cot", "llm-once+repair", "zero-shot")
    flags = ("--env", "grippers", "--np", "2", "--nd", "2", "--turns", "2", "--executor", "serial")
    (tmp_path / "run").mkdir()
    command = ["table2", *flags, *SMALL, "--method", *methods, "--seeds", "0", "--model", "simulated:weak"]
    assert main([*command, "--out", str(tmp_path / "run")]) == 0
    rows = list(csv.DictReader((tmp_path / "run" / "results.csv").open(encoding="utf-8")))
    assert {row["method"] for row in rows} == {*methods}
