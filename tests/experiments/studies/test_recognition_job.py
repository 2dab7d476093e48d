"""`goals` on files of one's own and `goals --study`: forms of files, what is seen of a plan, a small one."""

import csv
import json
import tarfile

import pytest

from agents.goals.candidates import read_candidates
from envs.pddl.language.domain import read_domain, read_problem, with_goal
from envs.pddl.planning.planner import Planner
from envs.pddl.planning.validate import validate_plan
from envs.pddl.simulation.compile import compile_task
from experiments.run import main
from experiments.studies.goals.any_domain import recognition_task
from experiments.studies.goals.recognition_report import recognition_tables

DOMAIN = """(define (domain corridor) (:requirements :strips)
 (:predicates (at ?p) (way ?a ?b))
 (:action go :parameters (?a ?b) :precondition (and (at ?a) (way ?a ?b))
  :effect (and (at ?b) (not (at ?a)))))"""
TEMPLATE = """(define (problem p) (:domain corridor) (:objects a b c d e)
 (:init (at c) (way c b) (way b a) (way c d) (way d e) (way b c) (way d c))
 (:goal (and\n<HYPOTHESIS>\n)))"""
FILES = {
    "domain.pddl": DOMAIN,
    "template.pddl": TEMPLATE,
    "hyps.dat": "(AT A)\n(AT E)\n(AT B)\n",
    "obs.dat": "(GO C D)\n(JUMP C)\n",
    "real_hyp.dat": "(AT E)\n",
}
FLAGS = {"domain": "domain.pddl", "problem": "template.pddl", "goals": "hyps.dat", "plan": "obs.dat"}


@pytest.fixture
def archive(tmp_path):
    folder = tmp_path / "archive"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text)
    return folder


def flags(folder):
    return [word for flag, name in FLAGS.items() for word in (f"--{flag}", str(folder / name))]


def test_a_folder_an_archive_and_flags_give_the_same_rankings(archive, tmp_path, capsys):
    packed = tmp_path / "packed.tar.bz2"
    with tarfile.open(packed, "w:bz2") as tar:
        tar.add(archive, arcname="somewhere/deep")
    ways = (
        ["--archive", str(archive)],
        ["--archive", str(packed)],
        [*flags(archive), "--wanted", str(archive / "real_hyp.dat")],
    )
    records = []
    for number, way in enumerate(ways):
        out = tmp_path / f"{number}.json"
        assert main(["goals", *way, "--out", str(out)]) == 0
        records.append(json.loads(out.read_text()))
    assert records[0] == records[1] == records[2]
    assert records[0]["candidates"] == ["(at a)", "(at e)", "(at b)"] and records[0]["wanted"] == 1
    for found in records[0]["methods"].values():
        assert found["places"][1] == 1 and found["unused"] == ["(jump c)"]
    printed = capsys.readouterr().out
    assert "left out, as no operator of the task: (jump c)" in printed and "the agent's" in printed


def test_cost_difference_answers_on_files_too(archive, tmp_path):
    out = tmp_path / "ranked.json"
    assert main(["goals", *flags(archive), "--methods", "cost-difference", "--out", str(out)]) == 0
    record = json.loads(out.read_text())
    assert record["wanted"] is None and record["methods"]["cost-difference"]["places"] == [2, 1, 2]


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("hyps.dat", "(at a)\n(or (at b) (at c))\n", "line 2: (or (at b) (at c)) is no literal"),
        ("obs.dat", "(go c d)\n(go (c) d)\n", "the plan, line 2: not an operator"),
        ("real_hyp.dat", "(at c)\n", "none of the candidates"),
        ("domain.pddl", DOMAIN.replace("(at ?a)", "(ta ?a)"), "ta"),
        ("hyps.dat", None, "lacks hyps.dat"),
    ],
)
def test_what_cannot_be_used_is_said_in_one_line(archive, capsys, name, text, why):
    (archive / name).unlink()
    if text is not None:
        (archive / name).write_text(text)
    assert main(["goals", "--archive", str(archive)]) == 2
    error = capsys.readouterr().err
    assert why in error and error.count("\n") == 1


def test_files_that_do_not_go_together_are_refused(archive, capsys, tmp_path):
    (tmp_path / "broken.tar").write_bytes(b"no archive")
    for arguments, why in (
        (flags(archive)[:-2], "give --plan too"),
        ([*flags(archive), "--archive", str(archive)], "leave out --domain --problem --goals --plan"),
        (["--archive", str(tmp_path / "broken.tar")], "cannot be read"),
        ([*flags(archive)[:-1], str(tmp_path / "gone")], "No such file"),
    ):
        assert main(["goals", *arguments]) == 2
        assert why in capsys.readouterr().err


@pytest.fixture(scope="module")
def task():
    found = recognition_task("blocksworld", 1, 7, 5, Planner())
    assert found is not None
    return found


def test_a_task_has_different_candidates_that_do_not_hold_and_a_plan_for_one(task):
    problem = read_problem(task.problem, read_domain(task.domain))
    candidates = read_candidates("\n".join(task.goals), problem)
    atoms = [{literal.atom for literal in candidate.literals} for candidate in candidates]
    assert len(candidates) == 5
    assert all(not own & problem.init for own in atoms)
    assert not any(one < other for one in atoms for other in atoms)
    assert validate_plan(with_goal(problem, f"(and {task.goals[task.wanted]})"), task.plan).valid
    for goal in task.goals:
        assert Planner().plan(task.domain, _stated(task, goal)).plan, "each can be reached"


def _stated(task, goal):
    return f"{task.problem[: task.problem.index('(:goal')]}(:goal (and {goal})))"


def test_what_is_seen_is_in_order_and_part_of_what_is_seen_of_more(task):
    operators = compile_task(read_problem(task.problem, read_domain(task.domain))).operators
    seen = [task.seen(share, 0, operators) for share in (0.1, 0.3, 0.5, 0.7, 1.0)]
    assert seen[-1] == task.plan and len(seen[0]) >= 1
    for fewer, more in zip(seen, (*seen[1:], task.plan), strict=True):
        steps = iter(more)
        assert all(step in steps for step in fewer)
    noisy = task.seen(0.5, 0.4, operators)
    assert noisy == task.seen(0.5, 0.4, operators)
    assert len(noisy) == len(seen[2]) + max(1, int(0.4 * len(seen[2]) + 0.5))
    steps = iter(noisy)
    assert all(step in steps for step in seen[2])


def test_the_study_resumes_and_cost_difference_is_added_to_what_is_there(tmp_path, capsys):
    out = tmp_path / "study"
    small = ["goals", "--study", "--env", "blocksworld", "--goals", "3", "--seen", "100", "--noisy", "50"]
    small += ["--learn-walks", "8", "--executor", "serial", "--out", str(out)]
    assert main([*small, "--cost-tasks", "0"]) == 0
    first = (out / "events.jsonl").read_text()
    rows = list(csv.DictReader((out / "recognition.csv").open()))
    assert {(r["method"], r["rules"], r["seen"], r["noise"]) for r in rows} == {
        (method, rules, seen, noise)
        for method in ("relaxed", "landmarks")
        for rules in ("true", "learned")
        for seen, noise in (("100", "0.0"), ("50", "0.2"))
    }
    whole = [r for r in rows if (r["method"], r["rules"], r["seen"]) == ("relaxed", "true", "100")]
    assert [float(r["top"]) for r in whole] == [1.0]
    assert main([*small, "--cost-tasks", "0"]) == 0
    assert (out / "events.jsonl").read_text() == first
    assert main([*small, "--cost-tasks", "1", "--cost-seen", "100"]) == 0
    assert (out / "events.jsonl").read_text().startswith(first)
    more = list(csv.DictReader((out / "recognition.csv").open()))
    assert len(more) == len(rows) + 1 and more[: len(rows)] == rows
    assert "Paired with cost difference" in (out / "table.md").read_text()
    assert main([*small[:2], "--seen", "0"]) == 2
    assert "--seen and --noisy are per cent" in capsys.readouterr().err


def record(method, number, seen, top, seconds):
    return {
        "method": method, "rules": "true", "env": "w", "number": number, "seen": seen, "noise": 0.0,
        "observed": 1, "top": top, "spread": 1, "probability": top, "no_answer": 0, "seconds": seconds,
        "fault": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("missed", "seconds", "verdict"),
    [(0, 1.0, "met"), (0, 2.0, "not met"), (10, 1.0, "met"), (100, 1.0, "not met")],
)
def test_the_target_needs_points_and_time_of_the_same_tasks(missed, seconds, verdict):
    ours = [record("relaxed", n, 50, float(n >= missed), seconds) for n in range(1000)]
    theirs = [record("cost-difference", n, 50, 1.0, 150.0) for n in range(1000)]
    alone = [record("relaxed", n, 50, 0.0, 1000.0) for n in range(2000, 2500)]
    tables = {table.title: table for table in recognition_tables([*ours, *theirs, *alone])}
    rows = tables["Paired with cost difference"].rows
    assert [row[2] for row in rows] == ["50 %", "all"]
    assert rows[0][3] == "1000" and rows[0][7] == verdict and rows[0][8] == f"1/{150 / seconds:.0f}"
    fewer = {table.title: table for table in recognition_tables([*ours[:9], *theirs[:9]])}
    assert fewer["Paired with cost difference"].rows[0][7].endswith("so far")
