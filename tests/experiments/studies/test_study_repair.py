"""`study-repair`: a small one from end to end, resumed, equal whoever works on it, and its tables."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from agents.repair.repaired import RepairVerdict
from envs.pddl.language.issues import PDDLError
from envs.pddl.language.terms import same_rules
from envs.pddl.mutation.faults import BreakKind
from envs.pddlgym_suite import missing
from envs.registry import WORLDS_FOLDER, worlds
from experiments.reporting.tables import latex, markdown
from experiments.run import main
from experiments.studies.repair import study as repairing
from experiments.studies.repair.cases import PlanFate, break_world
from experiments.studies.repair.report import (
    TARGET_CPU_S,
    Restoring,
    goals_lost,
    is_damaged,
    is_harmless,
    is_restored,
    repair_csv,
    repair_tables,
)
from experiments.studies.repair.study import COUNTS, SMALL, RepairUnit, StudyRepairConfig, can_be_broken
from experiments.studies.repair.tasks import (
    PDDLGYM,
    SEEN,
    TaskSplit,
    goal_predicates,
    split_tasks,
    true_problem,
)

LIFT = Path(__file__).parents[2] / "data" / "conditional" / "lift"
UNIT = RepairUnit("blocksworld", 1, BreakKind.REMOVED, 2, 1, 1, 100, 3000, 300.0, 0, None, 30.0)
COMMAND = [
    "study-repair", "--env", "blocksworld", "--kinds", "removed", "--seen", "1", "--unseen", "1",
    "--walks", "100",
]  # fmt: skip


def run(out, *more):
    # The clock must not decide, or two runs may differ.
    return main([*COMMAND, "--wall-s", "600", *more, "--out", str(out)])


def records(out):
    """The records without what the clock says, by key."""
    lines = [json.loads(line) for line in (out / "events.jsonl").read_text("utf-8").splitlines()]
    units = {line["key"]: line for line in lines if line["event"] == "unit"}
    return {
        key: {name: x for name, x in units[key].items() if name not in ("wall_s", "cpu_s")}
        for key in sorted(units)
    }


def task(number=1, before=0.5, ew=1.0, plan=PlanFate.WORKS, true=PlanFate.WORKS, plan_before=PlanFate.WORKS):
    return {
        "task": number, "ew_before": before, "plan_before": plan_before.value if before == 1.0 else None,
        "ew": ew, "plan": plan.value, "true_plan": true.value,
    }  # fmt: skip


def record(**fields):
    base = {
        "env": "w", "kind": "removed", "count": 1, "seed": 0, "faults": ["f"], "out_of_reach": 0, "unread": 0,
        "unknowable": "",
        "verdict": "agrees", "agrees": True, "goal": "reached", "edits": ["e"], "unexplained": 0,
        "ew_before": 0.5, "ew": 1.0, "seen": [task()], "unseen": [task(2), task(3)], "exact": True,
        "world_queries": 10, "rounds": 3, "wall_s": 0.5, "cpu_s": 0.4,
    }  # fmt: skip
    return base | fields


@pytest.fixture(scope="module")
def studied(tmp_path_factory, figures_of_shared_runs):
    folder = tmp_path_factory.mktemp("study")
    assert run(folder, "--executor", "serial") == 0
    return folder


@pytest.mark.slow
def test_a_study_leaves_its_tables_data_and_figure(studied):
    names = {path.name for path in studied.iterdir()}
    assert {"repair.csv", "table.md", "table.tex", "repair.png", "repair.svg", "config.json"} <= names
    assert len((studied / "repair.csv").read_text("utf-8").splitlines()) == 1 + 5


@pytest.mark.slow
def test_an_interrupted_study_goes_on_in_other_processes_with_the_same_results(studied, tmp_path):
    half = tmp_path / "half"
    half.mkdir()
    lines = (studied / "events.jsonl").read_text("utf-8").splitlines(keepends=True)
    (half / "events.jsonl").write_text("".join(lines[:-4]) + lines[-4][:20], "utf-8")
    (half / "config.json").write_bytes((studied / "config.json").read_bytes())
    assert run(half, "--executor", "process", "--workers", "2") == 0
    assert records(half) == records(studied)


def test_removed_terms_are_restored_where_they_were_seen_and_in_other_tasks():
    found = repairing.work(UNIT)
    assert found["verdict"] == RepairVerdict.AGREES and found["ew"] == 1.0 and found["ew_before"] < 1
    assert [one["task"] for one in found["seen"]] == [1] and len(found["unseen"]) == 1
    assert is_restored(found) and not is_harmless(found) and len(found["faults"]) == 2
    assert not goals_lost(found, "seen") and not goals_lost(found, "unseen")


def test_a_right_domain_is_left_as_it_is():
    found = repairing.work(replace(UNIT, count=0))
    assert not found["edits"] and not found["faults"] and found["exact"] and is_restored(found)


def test_cells_that_a_domain_cannot_have_are_left_out():
    assert not can_be_broken("movie", 1, BreakKind.ARGUMENTS) and can_be_broken("movie", 1, BreakKind.ADDED)
    assert not can_be_broken("grippers", 1, BreakKind.ACTION, 3)
    units = StudyRepairConfig(env=("movie",)).units()
    lacking = (BreakKind.ARGUMENTS, BreakKind.NESTED, BreakKind.TYPE)
    cells = {(kind, count) for kind in COUNTS if kind not in lacking for count in COUNTS[kind]}
    assert {(u.kind, u.count) for u in units} == cells
    few = StudyRepairConfig(env=("movie",), kinds=("added", "action"), counts=(3,)).units()
    assert [(u.kind, u.count) for u in few] == [("removed", 0), ("added", 3), ("action", 3)]


def test_the_full_study_has_twenty_seeds_a_cell_and_nothing_broken_once():
    units = StudyRepairConfig(env=("grippers",), full=True, seed=5).units()
    cells = {(u.kind, u.count) for u in units}
    assert len(units) == 1 + 20 * (len(cells) - 1) == len({u.key for u in units})
    assert {u.seed for u in units} == set(range(5, 25))


def test_a_case_is_restored_only_in_time_and_with_ew_1_and_a_plan_in_every_unseen_task():
    assert is_restored(record())
    assert not is_restored(record(unseen=[task(2), task(3, ew=0.9999)]))
    assert not is_restored(record(unseen=[task(2, plan=PlanFate.NOT_FOUND)]))
    assert is_restored(record(unseen=[task(2, plan=PlanFate.NOT_FOUND, true=PlanFate.NOT_FOUND)]))
    assert not is_restored(record(verdict="out_of_time")) and not is_restored(record(cpu_s=TARGET_CPU_S + 1))
    assert is_restored(record(seen=[task(ew=0.5)]))  # what is not so where it was seen is counted by itself


def test_a_goal_is_lost_if_a_model_said_to_agree_cannot_reach_it_and_the_world_can():
    lost = task(plan=PlanFate.UNREACHABLE)
    assert goals_lost(record(seen=[lost, lost]), "seen") == 2 and not goals_lost(record(), "seen")
    assert not goals_lost(record(seen=[lost], agrees=False), "seen")
    assert not goals_lost(record(seen=[lost | {"true_plan": "not_found"}]), "seen")


def test_harmless_cases_are_counted_apart():
    alike = task(before=1.0)
    found = Restoring(
        [
            record(),
            record(seed=1, unseen=[task(2, ew=0.9)], exact=False, verdict="out_of_time"),
            record(seed=2, seen=[alike], unseen=[alike]),
            record(seed=3, seen=[alike], unseen=[task(before=None, ew=None)], exact=False),
            record(count=0, faults=[], edits=[], seen=[alike], unseen=[alike]),
            record(kind="added", seen=[alike], unseen=[task(before=1.0, ew=0.8)]),
        ]
    )
    share = found.restored(("removed", 1))
    assert (share.n, share.mean) == (3, pytest.approx(1 / 3))
    assert found.restored((None, 1)) == share and found.restored(("removed", 0)).mean == 1.0
    assert [r["seed"] for r in found.below()] == [1, 3]
    text = "\n".join(map(markdown, repair_tables(found)))
    assert "| removed | 1 | 4 | 1 | 0 | 1.00 [" in text and "agrees 2, out_of_time 1" in text
    assert "| added | 1 | 1 | 1 | 1 | – | – |" in text and "| all | 1 | 5 | 2 | 1 |" in text
    assert "| w | 1 + 2 | 3/3 | 1/1 | 1/3 |" in text
    assert "\\begin{tabular}" in latex(repair_tables(found)[0])
    assert len(repair_csv(found).splitlines()) == 7


def test_a_fault_that_plans_alone_show_is_not_harmless():
    fails = task(before=1.0, plan_before=PlanFate.FAILS)
    assert is_harmless(record(seen=[task(before=1.0)], unseen=[task(before=1.0)]))
    found = record(seen=[task(before=1.0)], unseen=[fails])
    assert not is_harmless(found) and is_restored(found)
    assert is_harmless(record(seen=[], unseen=[fails | {"true_plan": "not_found"}]))
    assert is_damaged(record(seen=[], unseen=[task(before=1.0, plan=PlanFate.FAILS)]))


@pytest.mark.parametrize("env", ["grippers", "blocksworld", "movie", "pddlgym:blocks", "pddlgym:maze"])
@pytest.mark.parametrize("seen", [None, 1, 2])
def test_unseen_tasks_are_others_and_have_other_objects(env, seen):
    if env.startswith("pddlgym") and missing():
        pytest.skip(missing())
    split = split_tasks(env, 1, seen, 3)
    assert len(split.seen) == (seen or SEEN) and len(split.unseen) == 3
    taken = [true_problem(env, task).objects for task in split.seen]
    assert all(true_problem(env, task).objects not in taken for task in split.unseen)
    assert seen is None or split.seen == tuple(range(1, seen + 1))


def test_a_folder_with_one_task_has_none_to_be_judged_on(tmp_path):
    for name in ("domain.pddl", "p01.pddl"):
        (tmp_path / name).write_bytes((WORLDS_FOLDER / "grippers" / name).read_bytes())
    assert split_tasks(str(tmp_path), 1, None, 3) == TaskSplit((1,), ())


def test_a_world_without_a_task_that_can_be_read_says_why(tmp_path):
    domain, problem = (WORLDS_FOLDER / "grippers" / name for name in ("domain.pddl", "p01.pddl"))
    (tmp_path / "domain.pddl").write_text(domain.read_text())
    (tmp_path / "p01.pddl").write_text(problem.read_text().replace("(:init", "(:init (unheard)"))
    with pytest.raises(PDDLError, match="unheard"):
        split_tasks(str(tmp_path), 1, None, 3)


@pytest.mark.slow
@pytest.mark.skipif(missing() is not None, reason=str(missing()))
def test_the_domains_of_pddlgym_have_rules_and_unseen_tasks_of_their_own():
    domains = [true_problem(name, 1).domain for name in (*worlds(), *PDDLGYM)]
    foreign = domains[len(worlds()) :]
    assert not any(same_rules(own, other) for own in foreign for other in domains if other is not own)
    splits = [split_tasks(name, 1, None, 3) for name in PDDLGYM]
    assert {(len(split.seen), len(split.unseen)) for split in splits} == {(SEEN, 3)}


@pytest.mark.skipif(missing() is not None, reason=str(missing()))
def test_a_suite_is_studied_whole():
    assert StudyRepairConfig(suite=("bundled", "pddlgym")).worlds == (*SMALL, *PDDLGYM)


def test_predicates_that_goals_name_are_never_missing():
    assert "at" in goal_predicates("grippers")
    cases = [break_world("grippers", 1, BreakKind.PREDICATE, 1, seed) for seed in range(8)]
    assert "at" not in {fault.predicate for case in cases for fault in case.broken.faults}


def test_the_faults_of_a_seed_are_the_same_in_every_task():
    first, other = (break_world("grippers", task, BreakKind.MIXED, 3, 0) for task in (1, "f02"))
    assert first.broken == other.broken
    assert first.given_in("f02").init == other.given.init != first.given.init


@pytest.mark.parametrize(
    "wrong",
    [["--samples", "0"], ["--walks", "1"], ["--unseen", "-1"], ["--env", "nowhere"], ["--wall-s", "0"]],
)
def test_what_cannot_be_meant_is_refused_in_a_line(wrong, tmp_path, capsys):
    assert main(["study-repair", *wrong, "--out", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.startswith("error: ")


def test_the_faults_of_a_world_in_a_folder_are_the_same_wherever_it_stands(tmp_path: Path) -> None:
    broken = []
    for place in ("here", "there"):
        copy = shutil.copytree(LIFT, tmp_path / place / "lift")
        case = break_world(str(copy), 1, BreakKind.REMOVED, 3, 0)
        broken.append((case.broken.domain, case.broken.faults))
    assert broken[0] == broken[1]
