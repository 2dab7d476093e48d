"""`repair`: a world's own rules broken on purpose, a model of the user's, and what cannot be repaired."""

import json
import time

import pytest

from agents.repair.goals import GoalStanding
from agents.repair.repaired import Repaired, RepairVerdict
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.language.render import render_domain, render_problem
from envs.pddl.mutation.faults import BreakKind
from envs.registry import WORLDS_FOLDER
from envs.world import open_world
from experiments.run import main
from experiments.studies.repair.cases import Kind, break_world, new_folder
from experiments.studies.repair.judging import GOALS, VERDICTS

GRIPPERS = WORLDS_FOLDER / "grippers"


def repair(*arguments):
    return main(["repair", "--wall-s", "120", *map(str, arguments)])


def record(folder):
    return json.loads((folder / "repair.json").read_text("utf-8"))


@pytest.fixture
def mine(tmp_path):
    """A model of the user's: two effects and a precondition are forgotten."""
    text = (GRIPPERS / "domain.pddl").read_text("utf-8")
    for forgotten in (" (not (free ?r ?g))", " (not (at-robby ?r ?from))", "(at-robby ?r ?room) (free"):
        assert forgotten in text
        text = text.replace(forgotten, "(free" if forgotten.endswith("(free") else "")
    (tmp_path / "mine.pddl").write_text(text, "utf-8")
    (tmp_path / "p01.pddl").write_text((GRIPPERS / "p01.pddl").read_text("utf-8"), "utf-8")
    return tmp_path


def test_a_broken_world_is_repaired_and_its_tasks_are_solved(tmp_path, capsys):
    out = tmp_path / "out"
    few = ("--env", "grippers", "--walks", 300)
    assert repair(*few, "--break", 3, "--tried", 2, "--out", out) == 0
    told = record(out)
    assert told["verdict"] == RepairVerdict.AGREES and told["ew"] == 1.0 and told["ew_before"] < 1
    assert len(told["faults"]) == 3 and set(told["tasks"].values()) == {"solved"}
    shown = capsys.readouterr().out
    for part in (
        "faults made: 3",
        "edits found: ",
        "--- given",
        "verdict: agrees",
        "goal: reached",
        "task 2: solved",
    ):
        assert part in shown
    assert all(edit in shown for edit in told["edits"])
    evidence = (out / "ledger.md").read_text("utf-8")
    assert evidence.startswith("| action | part | literal |")
    assert all(f"`{edit[edit.index('(') : edit.rindex(')') + 1]}`" in evidence for edit in told["edits"])
    read_problem(
        (out / "problem.pddl").read_text("utf-8"), read_domain((out / "domain.pddl").read_text("utf-8"))
    )


@pytest.mark.slow
def test_equal_seeds_give_equal_repairs(tmp_path):
    first, again, other = (tmp_path / name for name in ("first", "again", "other"))
    for out, seed in ((first, 0), (again, 0), (other, 1)):
        assert repair("--env", "blocksworld", "--break", 2, "--tried", 1, "--seed", seed, "--out", out) == 0
    for name in ("domain.pddl", "problem.pddl", "domain.diff"):
        assert (first / name).read_bytes() == (again / name).read_bytes()
    assert record(first)["faults"] == record(again)["faults"] != record(other)["faults"]


def test_a_model_of_the_user_s_is_repaired_beside_their_files(mine, monkeypatch):
    monkeypatch.chdir(mine)
    before = {path: path.read_bytes() for path in mine.iterdir()}
    files = ("--domain", "mine.pddl", "--problem", "p01.pddl")
    assert repair("--env", GRIPPERS, *files, "--walks", 300) == 0
    told = record(mine / "runs" / "repair-grippers")
    assert told["ew"] == 1.0 and told["seen"] == ["1"] and told["tasks"] == {"1": "solved"}
    assert {path: path.read_bytes() for path in before} == before


def test_what_cannot_be_repaired_within_its_budget_ends_with_a_verdict_and_what_disagrees(mine, capsys):
    out = mine / "out"
    files = ("--domain", mine / "mine.pddl", "--problem", mine / "p01.pddl")
    assert repair("--env", "grippers", *files, "--queries", 100, "--out", out) == 0
    told = record(out)
    assert told["verdict"] == RepairVerdict.OUT_OF_QUERIES and told["ew"] < 1 and told["world_queries"] <= 50
    assert told["walks"] == 1000 and 2 <= told["walks_after"] < 10
    shown = capsys.readouterr().out
    assert "verdict: out_of_queries: " in shown and "What still disagrees:" in shown
    assert f"({told['walks_after']} walks) after" in shown
    assert (out / "disagreement.txt").read_text("utf-8").strip() in shown


class _Watched:
    """A world that is walked one step at a time; every query is counted, and takes as long as it is told."""

    def __init__(self, world, takes_s=0.0):
        self._world, self._takes_s = world, takes_s
        self.queries = 0

    def __getattr__(self, name):
        if name in ("transitions", "reset", "step", "snapshot", "restore", "fingerprint"):
            raise AttributeError(name)
        return getattr(self._world, name)

    def _query(self, count=1):
        self.queries += count
        time.sleep(count * self._takes_s)

    def applicable(self, walk=()):
        self._query()
        return self._world.applicable(walk)

    def executable(self, walk):
        found = self._world.executable(walk)
        self._query(min(found.steps + 1, len(walk)))
        return found

    def verify(self, plan):
        self._query()
        return self._world.verify(plan)


@pytest.mark.parametrize("verdict", [RepairVerdict.OUT_OF_TIME, RepairVerdict.UNEXPLAINED])
def test_edits_of_an_unfinished_repair_that_lower_ew_are_not_kept(verdict, mine, monkeypatch, capsys):
    def worse(tasks, rng, limits):
        broken = render_domain(tasks[0].problem.domain).replace("(and (carry ?r ?obj ?g)", "(and")
        problems = tuple(render_problem(task.problem) for task in tasks)
        return Repaired(verdict, broken, problems, (), 1, 0, 1, 0.1, structural=("a rule",))

    monkeypatch.setattr("experiments.studies.repair.job.repair", worse)
    out = mine / "out"
    own = "--domain", mine / "mine.pddl", "--problem", mine / "p01.pddl"
    assert repair("--env", GRIPPERS, *own, "--walks", 100, "--out", out) == 0
    assert (out / "domain.pddl").read_text("utf-8") == (out / "given.domain.pddl").read_text("utf-8")
    assert record(out)["ew"] == record(out)["ew_before"] > 0 and record(out)["edits"] == []
    assert record(out)["edits_not_kept"] == 1
    assert "edits not kept: 1; with them EW is " in capsys.readouterr().out


def watched(monkeypatch, takes_s=0.0):
    """The worlds that the command opens from here on."""
    worlds = []

    def opened(env, task=1):
        worlds.append(_Watched(open_world(env, task), takes_s))
        return worlds[-1]

    for module in ("job", "cases", "judging"):
        monkeypatch.setattr(f"experiments.studies.repair.{module}.open_world", opened)
    return worlds


@pytest.mark.parametrize("queries", [1, 40, 300, pytest.param(2500, marks=pytest.mark.slow)])
def test_queries_are_a_limit_of_all_that_the_command_asks(mine, queries, monkeypatch, capsys):
    worlds = watched(monkeypatch)
    files = ("--domain", mine / "mine.pddl", "--problem", mine / "p01.pddl")
    assert repair("--env", "grippers", *files, "--queries", queries, "--out", mine / "out") == 0
    told = record(mine / "out")
    assert sum(world.queries for world in worlds) <= told["world_queries_of_all"] <= queries
    assert f"in all: {told['world_queries_of_all']} of {queries} world queries" in capsys.readouterr().out
    if queries == 1:
        assert told["ew_before"] is None is told["ew"]


@pytest.mark.slow
def test_seconds_are_a_limit_of_all_that_the_command_does_in_a_slow_world(mine, monkeypatch, capsys):
    """Counted by what the world took, so it does not matter how busy the machine is."""
    takes_s, wall_s = 0.02, 2
    worlds = watched(monkeypatch, takes_s)
    files = ("--domain", mine / "mine.pddl", "--problem", mine / "p01.pddl", "--wall-s", wall_s)
    assert repair("--env", "grippers", *files, "--out", mine / "out") == 0
    assert sum(world.queries for world in worlds) * takes_s <= wall_s + 10 * takes_s
    told = record(mine / "out")
    assert told["verdict"] == RepairVerdict.OUT_OF_TIME and told["ew_before"] is None
    assert "the time is up (--wall-s)" in capsys.readouterr().out


def test_nothing_is_overwritten(mine, capsys):
    files = ("--domain", mine / "mine.pddl", "--problem", mine / "p01.pddl")
    assert repair("--env", "grippers", *files, "--out", mine) == 2
    assert "nothing is overwritten" in capsys.readouterr().err


def test_a_folder_that_is_there_gets_a_number(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folders = [new_folder(None, "repair-x") for _ in range(3)]
    assert [f.name for f in folders] == ["repair-x", "repair-x.2", "repair-x.3"]


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ([], "--break K"),
        (["--break", "0"], "must be positive"),
        (["--break", "2", "--domain", "d.pddl", "--problem", "p.pddl"], "leave it out"),
        (["--domain", "nowhere.pddl", "--problem", "p.pddl"], "there is no file nowhere.pddl"),
        (["--break", "1", "--env", "nowhere"], "unknown environment"),
        (["--break", "1", "--env", "movie", "--kind", "arguments"], "cannot be broken in this way"),
        (["--break", "1", "--tasks", "999"], "p999"),
        (["--break", "1", "--wall-s", "nan"], "must be positive and finite"),
        (["--break", "1", "--planner-wall-s", "inf"], "must be positive and finite"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_a_line(wrong, told, tmp_path, capsys):
    assert repair(*wrong, "--out", tmp_path / "out") == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ") and told in error
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("file", "old", "new", "told"),
    [
        ("mine.pddl", "(:action drop", "(:action", "mine.pddl"),
        ("mine.pddl", "(:action drop", "((:action drop", "never closed"),
        ("p01.pddl", "ball1", "sphere1", "it lacks the objects ball1"),
        ("p01.pddl", "(:init", "(:init (nothing)", "p01.pddl"),
    ],
)
def test_a_model_whose_names_are_not_the_worlds_is_refused(mine, file, old, new, told, capsys):
    path = mine / file
    path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")
    files = ("--domain", mine / "mine.pddl", "--problem", mine / "p01.pddl")
    assert repair("--env", "grippers", *files, "--out", mine / "out") == 2
    error = capsys.readouterr().err
    assert told in error and "^" not in error and not (mine / "out").exists()


def test_an_action_that_a_model_lacks_is_added_and_found_again(mine, capsys):
    path = mine / "mine.pddl"
    path.write_text(path.read_text("utf-8").replace("(:action drop", "(:action let-go"), "utf-8")
    files = ("--domain", path, "--problem", mine / "p01.pddl")
    assert repair("--env", "grippers", *files, "--walks", 200, "--out", mine / "out") == 0
    assert "verdict: agrees" in capsys.readouterr().out


def test_where_nothing_can_be_written_is_told_before_anything_is_repaired(tmp_path, capsys):
    (tmp_path / "file").touch()
    assert repair("--env", "grippers", "--break", 1, "--out", tmp_path / "file" / "out") == 2
    assert "nothing can be written to" in capsys.readouterr().err


def test_every_verdict_has_its_words_and_every_kind_its_flag():
    assert set(VERDICTS) == set(RepairVerdict) and set(GOALS) == set(GoalStanding)
    assert set(Kind.__args__) == {kind.value for kind in BreakKind}


def test_the_tasks_of_a_case_are_stated_in_the_words_of_the_domain_they_are_tried_with():
    case = break_world("grippers", 1, BreakKind.PARAMETER, 1, 0)
    for domain in (case.original.domain, case.given.domain):
        read_problem(case.task_text(2, domain), domain)
    assert case.is_original(case.original.domain, case.original)
    assert not case.is_original(case.given.domain, case.given)
