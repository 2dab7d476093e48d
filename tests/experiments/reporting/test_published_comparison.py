"""The published figures as data, our figures read as the paper reads its own, and both in one table."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from ew.score.score import harmonic_mean
from experiments.methods.registry import METHODS, PUBLISHED
from experiments.recordings import Cover
from experiments.reporting.comparison import Cells
from experiments.reporting.published_comparison import best_as_published, published_tables, successful_seeds
from experiments.reporting.published_table2 import (
    PUBLISHED_BEST,
    SEEDS,
    SUCCESSFUL_SEEDS,
    SUCCESSFUL_SEEDS_OF,
    TASKS,
)
from experiments.reporting.results import Summary, summarise
from experiments.run import main
from experiments.runs.frames import RunFrames
from experiments.runs.records import EpisodeRecord, Score, Spent, TaskOutcome, TaskRecord

RNG = random.Random(3)
#: Share of tasks solved and EW, a seed each: the seed that solves most does not have the highest EW.
SEED_BY_SEED = ((0.9, 0.2), (0.6, 0.8), (0.5, 0.1), (0.0, 1.0))


def episode(env: str, method: str, seed: int, makes_model: bool = True) -> EpisodeRecord:
    unit = f"{env}-{method}-{seed}"
    return EpisodeRecord(
        unit, env, method, seed, None, None, None, makes_model, 0, 0, TASKS, Spent(), 0, 0.0, np=5, nd=10,
        turns=4, protocol="paper",
    )  # fmt: skip


def tasks_of(of: EpisodeRecord, solved: int, directions: list[tuple[float, float]]) -> list[TaskRecord]:
    """Tasks of an episode, of which the first are solved; `directions`: forward and backward of each."""
    scores = [Score(harmonic_mean(*both), *both) for both in directions]
    outcomes = [TaskOutcome.SOLVED] * solved + [TaskOutcome.UNSOLVABLE] * (len(scores) - solved)
    return [
        TaskRecord(of.unit, of.env, of.method, of.seed, number, outcome, score, None, None, "", Spent(), 0.0)
        for number, (outcome, score) in enumerate(zip(outcomes, scores, strict=True), start=1)
    ]


def summary(env: str, method: str, seeds: tuple[tuple[float, float | None], ...]) -> Summary:
    """A cell of which every task of a seed has the seed's EW."""
    episodes = [episode(env, method, seed, seeds[0][1] is not None) for seed in range(len(seeds))]
    tasks = [
        task
        for one, (share, ew) in zip(episodes, seeds, strict=True)
        for task in tasks_of(one, round(share * TASKS), [(ew or 0.0, ew or 0.0)] * TASKS)
    ]
    (found,) = summarise(RunFrames(episodes, tasks))
    return found


def published_run() -> tuple[Cells, list[Cover]]:
    """A run in which every seed of every cell came out as the paper's Best@4."""
    cells = [
        summary(env, method, ((best.solved, best.ew),) * SEEDS)
        for env, bests in PUBLISHED_BEST.items()
        for method, best in bests.items()
    ]
    covers = [
        Cover(
            env=env,
            method=name,
            np=METHODS[name].np,
            nd=METHODS[name].nd,
            turns=METHODS[name].turns,
            tasks=TASKS,
            seeds=(0, 1, 2, 3),
        )
        for env in PUBLISHED_BEST
        for name in PUBLISHED
    ]
    return Cells.of(cells), covers


def test_the_data_have_the_shape_of_the_published_table() -> None:
    assert len(PUBLISHED_BEST) == 10 and set(SUCCESSFUL_SEEDS) == set(PUBLISHED_BEST)
    for bests in PUBLISHED_BEST.values():
        assert tuple(bests) == PUBLISHED
        for method, best in bests.items():
            assert (best.ew is None) == method.startswith("intrinsic")
            assert round(best.solved * TASKS, 9).is_integer() and 0 <= best.solved <= 1
            assert best.ew is None or 0 <= best.ew <= 1


@pytest.mark.slow
def test_the_data_give_what_the_paper_says_of_them() -> None:
    """Its row of averages, and the environments that it counts as solved."""
    table = published_tables(*published_run())[0]
    rows = {row[0]: row[1:] for row in table.rows}
    assert table.columns == ("env", *PUBLISHED)
    averages = ("0.26 / –", "0.29 / –", "0.34 / 0.53", "0.66 / 0.84", "0.60 / 0.85")
    assert rows["Average, published"] == averages == rows["Average"]
    solved = rows["solved (> 0.5), published"]
    assert solved[1] == "3 of 10" and solved[3] == "7 of 10" and solved == rows["solved (> 0.5)"]
    tree = {env: bests[SUCCESSFUL_SEEDS_OF] for env, bests in PUBLISHED_BEST.items()}
    assert all((best.solved > 0.5) == (SUCCESSFUL_SEEDS[env] > 0) for env, best in tree.items())


@pytest.mark.slow
def test_a_run_as_published_is_not_said_to_be_otherwise() -> None:
    cells, covers = published_run()
    assert "not run as published" not in " ".join(published_tables(cells, covers)[0].notes)


@pytest.mark.parametrize("round_", range(5))
def test_best_is_the_highest_of_all_seeds_each_number_by_itself(round_: int) -> None:
    episodes = [episode("termes", "tree", seed) for seed in range(SEEDS)]
    tasks, alone = {}, []
    for one in episodes:
        directions = [(RNG.random(), RNG.random()) for _ in range(TASKS)]
        tasks[one.seed] = tasks_of(one, RNG.randint(0, TASKS), directions)
        forward, backward = (sum(values) / TASKS for values in zip(*directions, strict=True))
        alone.append(2 / (1 / forward + 1 / backward))  # Equation 2
    (cell,) = summarise(RunFrames(episodes, [task for found in tasks.values() for task in found]))
    rates = [sum(task.outcome is TaskOutcome.SOLVED for task in found) / TASKS for found in tasks.values()]
    solved, ew = best_as_published(cell)
    assert solved == max(rates) and ew == pytest.approx(max(alone))
    assert successful_seeds(cell) == sum(rate > 0.5 for rate in rates)


def test_the_published_reading_is_never_lower_than_one_seeds_numbers() -> None:
    cell = summary("termes", "tree", SEED_BY_SEED)
    assert (cell.best_solve_rate, cell.best_ew) == (0.9, pytest.approx(0.2))
    assert best_as_published(cell) == (0.9, 1.0)
    assert successful_seeds(cell) == 2  # half of the tasks is not more than half
    backwards = summary("termes", "tree", SEED_BY_SEED[::-1])
    assert best_as_published(backwards) == best_as_published(cell)


@pytest.mark.slow
def test_whatever_was_done_otherwise_stands_under_the_table() -> None:
    cells, covers = published_run()
    fewer = summary("barman", "tree", SEED_BY_SEED[:1])
    changed = [replace(c, feedback="shortest", nd=3) if c.env == "barman" else c for c in covers]
    others = [s for s in cells.summaries if (s.env, s.method) != ("barman", "tree")]
    notes = published_tables(Cells.of([*others, fewer]), changed)[0].notes
    assert "tree: not run as published: 1 seed, nd 3, feedback shortest (barman)." in notes
    assert "chain: not run as published: nd 3, feedback shortest (barman)." in notes
    assert not any(note.startswith("intrinsic") for note in notes)
    assert any(note.startswith("grippers_ood: its rule") for note in notes)


def test_other_environments_and_methods_have_no_published_figure() -> None:
    cells = [
        summary(env, m, SEED_BY_SEED) for env in ("depot", "termes+anonymised") for m in ("tree", "refine")
    ]
    assert published_tables(Cells.of(cells), ()) == ()
    best, seeds = published_tables(Cells.of([*cells, summary("termes", "refine", SEED_BY_SEED)]), ())
    rows = {row[0]: row[1:] for row in best.rows}
    assert rows["termes, published"] == ("1.00 / 1.00", "–") and rows["termes"][0] == "–"
    assert not any(label.startswith(("depot, ", "termes+anonymised, ")) for label in rows)
    assert any("depot, termes+anonymised" in note for note in best.notes)
    assert [row[-1] for row in seeds.rows] == ["–", "–", "4 of 4"]


def test_totals_over_what_both_have_stand_beside_those_of_everything() -> None:
    cells = [summary("termes", "tree", SEED_BY_SEED), summary("depot", "tree", SEED_BY_SEED)]
    rows = {row[0]: row[1:] for row in published_tables(Cells.of(cells), ())[0].rows}
    assert rows["Average, published"] == ("1.00 / 1.00 (1 of 2)",)
    assert rows["Average of 1"] == ("0.90 / 1.00",) and rows["solved (> 0.5) of 1, published"] == ("1 of 1",)


@pytest.mark.slow  # test_table2 makes the table, and others here compare
def test_the_job_prints_the_published_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["--env", "termes", "--method", "chain", "intrinsic-cot", "--tasks", "1", "--executor", "serial"]
    assert main(["table2", *flags, "--out", str(tmp_path / "table2")]) == 0
    printed = capsys.readouterr().out
    assert "termes, published" in printed and "chain: not run as published: 1 seed, 1 task" in printed
    assert (tmp_path / "table2" / "tables" / "best-1-as-published.csv").is_file()
    assert (tmp_path / "table2" / "tables" / "successful-seeds.csv").is_file()
    assert main([*flags, "--out", str(tmp_path / "main")]) == 0
    assert "published" not in capsys.readouterr().out
