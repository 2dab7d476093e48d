"""`learn`: a run without language model, endpoint or recording, equal everywhere, scored like any other."""

import csv

import pytest

from agents.operators.exploration import Exploration
from envs.pddl.language.domain import read_domain
from experiments.config import RunConfig
from experiments.driver.plan import resolve
from experiments.methods.learn import Learner
from experiments.methods.registry import NOBODY
from experiments.recordings import packaged
from experiments.run import main

SMALL = ["--env", "grippers", "--tasks", "2", "--walks", "40"]


def results(out):
    return list(csv.DictReader((out / "results.csv").open(encoding="utf-8")))


@pytest.mark.parametrize(
    "executor", [["serial"], pytest.param(["process", "--workers", "2"], marks=pytest.mark.slow)]
)
def test_learn_solves_tasks_with_nobody_asked_whoever_works_on_it(executor, tmp_path):
    assert main([*SMALL, "--method", "learn", "--executor", *executor, "--out", str(tmp_path)]) == 0
    rows = results(tmp_path)
    assert [(r["outcome"], float(r["ew"]), r["completions"]) for r in rows] == [("solved", 1.0, "0")] * 2


@pytest.mark.slow
def test_states_seen_in_part_teach_too(tmp_path):
    flags = ["--env", "blocksworld", "--tasks", "1", "--walks", "40", "--executor", "serial"]
    assert main([*flags, "--method", "learn-partial", "--out", str(tmp_path)]) == 0
    (row,) = results(tmp_path)
    assert float(row["ew"]) > 0.9


def test_beside_recorded_methods_it_is_one_more_column():
    plan = resolve(RunConfig(method=("chain", "learn"), env=("termes",), tasks=2), packaged())
    assert [(u.method, u.answers == NOBODY) for u in plan.units] == [("chain", False), ("learn", True)]
    assert NOBODY not in plan.recordings
    alone = resolve(RunConfig(method=("learn",), seeds=(1, 2)), packaged())
    assert [(u.env, u.seed) for u in alone.units] == [("grippers", 1), ("grippers", 2)]


def test_a_dry_run_knows_what_it_asks_at_most(capsys):
    assert main([*SMALL, "--method", "learn", "--dry-run"]) == 0
    assert "grippers" in capsys.readouterr().out


def test_the_same_seed_learns_the_same_and_stays_within_its_queries():
    settings = Exploration(walks=10, length=10, queries=30)
    one, other = (Learner("termes", 4, settings)(("f01", "f02")) for _ in range(2))
    assert one == other and one.world_queries <= 60
    assert set(read_domain(one.domain).actions) == {o.name for o in one.operators}


@pytest.mark.slow  # test_methods has such tasks tried by another method
def test_tasks_beyond_the_bundled_ones_are_learned_for_too(tmp_path):
    flags = ["--env", "movie", "--tasks", "11", "--walks", "20", "--executor", "serial"]
    assert main([*flags, "--method", "learn", "--out", str(tmp_path)]) == 0
    assert [row["task"] for row in results(tmp_path)] == [str(n) for n in range(1, 12)]
