"""The published comparison as a job: live, and made of what is recorded."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from gripper_answers import answer

from agents.llm.stub import StubServer
from experiments.config import ConfigError, RunConfig
from experiments.driver.plan import resolve_cells
from experiments.recordings import Cover, Shelved
from experiments.report import main as report
from experiments.reporting.published_table2 import PAPER_ENVS, PAPER_SEEDS
from experiments.run import main
from experiments.studies.comparisons import Table2Config
from experiments.studies.comparisons import cells_of_table2 as cells_of

SMALL = Cover(env="termes", method="tree", np=2, nd=3, turns=4, tasks=10, seeds=(0, 1), protocol="apart")
RECORDED = RunConfig(env=("termes", "hiking"), method=("tree", "chain"))


def table(out: Path, name: str) -> list[list[str]]:
    return list(csv.reader((out / "tables" / f"{name}.csv").open(encoding="utf-8")))


def shelf(*covers: Cover) -> tuple[Shelved, ...]:
    return tuple(Shelved(f"r{i}", Path(f"r{i}"), (cover,)) for i, cover in enumerate(covers))


@pytest.mark.slow
def test_without_flags_it_is_the_published_table_and_refine() -> None:
    config = Table2Config()
    assert len(config.env) == len(PAPER_ENVS) == 10 and config.method[-1] == "refine"
    live = cells_of(Table2Config(model="m"), ())
    assert len(live.units) == 10 * 6 * 4 and {u.seed for u in live.units} == set(PAPER_SEEDS)
    assert {u.tasks for u in live.units} == {10} and live.missing == ()
    assert {u.protocol for u in live.units} == {"apart"}
    paper = cells_of(Table2Config(model="m", protocol="paper", env=("termes", "hiking")), ())
    assert {u.refined_on for u in paper.units} == {(1,)}


def test_cells_that_no_recording_answers_are_missing_and_no_error() -> None:
    plan = resolve_cells([RECORDED], shelf(SMALL))
    assert {(u.env, u.method, u.seed) for u in plan.units} == {("termes", "tree", 0), ("termes", "tree", 1)}
    assert plan.missing == (("termes", "chain"), ("hiking", "tree"), ("hiking", "chain"))
    assert plan.asked() == {"env": ["termes", "hiking"], "arm": ["tree", "chain"]}


def test_a_cell_takes_the_recording_with_most_of_what_is_asked_for() -> None:
    fewer = Cover(env="termes", method="tree", np=5, nd=10, turns=4, tasks=10, seeds=(0,), protocol="apart")
    counted = Cover(
        env="termes", method="tree", np=2, nd=3, turns=4, tasks=10, seeds=(0, 1, 2, 3), protocol="paper"
    )
    for order in (shelf(fewer, SMALL, counted), shelf(counted, SMALL, fewer)):
        (one, two) = resolve_cells([RECORDED], order).units
        assert (one.np, two.seed, one.protocol) == (2, 1, "apart")
    (only,) = resolve_cells([Table2Config(seeds=(1, 9), tasks=20, env=("termes",))], shelf(SMALL)).units
    assert (only.seed, only.tasks) == (1, 10)


def test_a_table_without_a_single_cell_is_refused() -> None:
    with pytest.raises(ConfigError, match="no recording answers"):
        resolve_cells(
            [RECORDED], shelf(Cover(env="movie", method="tree", np=2, nd=3, turns=4, tasks=10, seeds=(0,)))
        )


def test_it_is_made_of_the_packaged_recordings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    unheard = "movie+anonymised"
    flags = ["table2", "--env", "termes", "--also", unheard, "--method", "chain", "intrinsic-cot"]
    small = ["--tasks", "2", "--seeds", "0", "--executor", "serial", "--out", str(tmp_path)]
    assert main([*flags, *small]) == 0
    assert f"no recording of {unheard}: chain, intrinsic-cot" in capsys.readouterr().out
    assert table(tmp_path, "best-1")[0] == ["env", "intrinsic-cot", "chain"]
    rows = [row[0] for row in table(tmp_path, "best-1")[1:]]
    assert rows == ["termes", unheard, "Average", "Average of 1"]
    assert table(tmp_path, "best-1")[2] == [unheard, "–", "–"]
    before = (tmp_path / "tables.md").read_bytes()
    assert report([str(tmp_path), "--no-html", "--no-plots"]) == 0
    assert (tmp_path / "tables.md").read_bytes() == before


@pytest.mark.parametrize("protocol", ["apart", pytest.param("paper", marks=pytest.mark.slow)])
@pytest.mark.slow  # packaged recordings make the table, and other jobs run live
def test_it_runs_live_under_both_protocols(tmp_path: Path, protocol: str) -> None:
    flags = ["--env", "grippers", "--method", "chain", "tree", "--np", "2", "--nd", "2", "--turns", "2"]
    small = ["--tasks", "2", "--walks", "20", "--t-max", "5", "--seeds", "0", "1", "--executor", "serial"]
    with StubServer(answer) as server:
        live = ["table2", "--base-url", server.url, "--protocol", protocol, "--out", str(tmp_path)]
        assert main([*live, *flags, *small]) == 0
        counted = [b for b in server.seen.bodies if "def modify_action" in b["messages"][-1]["content"]]
    assert counted and f"Protocol {protocol}" in (tmp_path / "tables.md").read_text(encoding="utf-8")
    assert [row[0] for row in table(tmp_path, "best-2")] == ["env", "grippers", "Average"]


def test_a_flag_that_is_not_there_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["table2", "--alos", "x"]) == 2
    assert "did you mean --also" in capsys.readouterr().err
