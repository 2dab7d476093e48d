"""`goals`: the tasks, and a small study from end to end, with and without a language model."""

import json
from dataclasses import replace
from functools import cache

import pytest

from agents.llm.faults import Behaviour, Fault
from agents.llm.scripted import ScriptedModel
from agents.llm.stub import StubServer
from agents.operators.lifted import Operator
from agents.operators.reading import operators_of
from envs.generators.minecraft import ITEMS
from envs.pddl.planning.planner import Planner
from experiments.driver.models import endpoint_of
from experiments.recordings import main as recordings
from experiments.recordings import shelf
from experiments.reporting.tables import markdown
from experiments.run import main
from experiments.runs.directory import RunDirectory, RunUnreadable
from experiments.runs.ledger import Ledger
from experiments.studies.goals.report import Guessing, goals_csv, goals_tables
from experiments.studies.goals.study import METHODS, GuessUnit, ask, guess, judged
from experiments.studies.goals.tasks import (
    CUT,
    PUBLISHED,
    drawn,
    goal_task,
    kept,
    plan_task,
    space_of,
)
from experiments.studies.operators.demonstrations import minecraft, save_plans
from experiments.studies.study import Answering, AskingConfig, Study

SMALL = ["goals", "--four", "2", "--single", "2", "--learned-from", "10"]
LEAST = ["goals", "--four", "1", "--single", "1", "--learned-from", "10"]
NOBODY = ["--methods", "ranking-true", "ranking-learned"]
REPLY = "```\nwood\nstick\nboat\n```"


@cache
def rules() -> dict[str, Operator]:
    return {operator.name: operator for operator in operators_of(minecraft())}


def units_of(method, tasks):
    return [GuessUnit(method, task, 20, 0) for task in tasks]


def some(kind, every=30):
    return [kept()[kind, number, 0] for number in range(1, PUBLISHED[kind] + 1, every)]


def records(out):
    lines = [json.loads(line) for line in (out / "events.jsonl").read_text("utf-8").splitlines()]
    units = {line["key"]: line for line in lines if line["event"] == "unit"}
    return [units[key] for key in sorted(units)]


def test_all_published_numbers_of_tasks_come_with_a_plan():
    assert len(kept()) == sum(PUBLISHED.values())
    assert all(len(task.plan) > CUT and len(set(task.wanted)) == len(task.wanted) for task in kept().values())
    assert {item for task in kept().values() for item in task.wanted} == set(ITEMS)


@pytest.mark.parametrize("kind", ["four", "single"])
def test_every_plan_runs_and_makes_what_is_wanted(kind):
    for task in some(kind):
        state = run(task.plan, frozenset(task.facts.init))
        made = {atom for _, atom in task.facts.goal}
        assert made <= state and {atom[2] for atom in made} == set(task.wanted)


def run(steps, state):
    for text in steps:
        name, *arguments = text.strip("()").split()
        operator = rules()[name]
        assert operator.runs(operator.bound(arguments), state)
        state = operator.applied(operator.bound(arguments), state)
    return state


@pytest.mark.parametrize("kind", ["four", "single"])
def test_what_is_seen_runs_under_other_names_and_stops_short_of_a_single_item(kind):
    for task in some(kind):
        state = run(task.seen, frozenset(task.facts.init))
        made = {fact[2] for fact in state - frozenset(task.facts.init) if fact[0] == "object-of-type"}
        assert len(task.seen) == len(task.plan) - (0 if kind == "four" else CUT)
        assert kind == "single" or set(task.wanted) <= made
    assert any(task.seen != task.plan[: len(task.seen)] for task in some(kind))


def test_what_there_is_tells_nothing_about_what_is_wanted():
    """Every map has the same things."""
    kinds = [
        {fact[2] for fact in drawn("single", number, 0, 0)[0].init if fact[0] == "object-of-type"}
        for number in range(1, 7)
    ]
    assert all(found == kinds[0] for found in kinds) and {"axe", "pickaxe"} < kinds[0]


def test_a_task_is_planned_for_again_as_it_was(tmp_path, capsys):
    known = min((task for task in kept().values() if task.draw == 0), key=lambda task: len(task.plan))
    assert plan_task(known.kind, known.number, 0, Planner(wall_s=60)) == known
    save_plans(tmp_path / "plans.jsonl.gz", [known])
    arguments = [
        "minecraft-plans",
        "goals",
        "--four",
        "0",
        "--single",
        "0",
        "--out",
        str(tmp_path / "plans.jsonl.gz"),
    ]
    assert main(arguments) == 0 and capsys.readouterr().out == ""


@pytest.mark.slow
def test_subgoals_that_are_planned_for_together_are_made_by_one_plan(monkeypatch):
    """The first two of four: for all four the planner takes long, and often finds no plan."""

    def pair(*task):
        facts, wanted = drawn(*task)
        return replace(facts, goal=facts.goal[:2]), wanted[:2]

    monkeypatch.setattr("experiments.studies.goals.tasks.drawn", pair)
    task = goal_task("four", 1, 0, Planner(wall_s=60), together=True)
    assert task is not None and task.together and task not in kept().values()
    assert len(task.facts.goal) == 2
    made = {atom for _, atom in task.facts.goal}
    assert made <= run(task.plan, frozenset(task.facts.init))


@pytest.mark.slow
def test_without_a_language_model_most_goals_are_found():
    found = [guess(unit) for unit in units_of("ranking-true", some("four", 6))]
    assert sum(r["rank"] is not None for r in found) >= 0.93 * len(found)
    (one,) = [guess(unit) for unit in units_of("ranking-true", some("single", 97))]
    assert len(one["guesses"]) == 3 and one["fault"] is None


@pytest.fixture(scope="module")
def studied(tmp_path_factory, figures_of_shared_runs):
    """A study in which nobody is asked, to be read only."""
    out = tmp_path_factory.mktemp("goals") / "studied"
    assert main([*LEAST, *NOBODY, "--executor", "serial", "--out", str(out)]) == 0
    return out


@pytest.mark.slow
def test_the_study_leaves_tables_and_figure(studied):
    names = {path.name for path in studied.iterdir()}
    assert {"goals.csv", "table.md", "table.tex", "goals.png", "goals.svg"} <= names
    assert len([record for record in records(studied) if "method" in record]) == 4


@pytest.mark.slow
def test_the_study_is_the_same_whoever_works_on_it(studied, tmp_path):
    assert main([*LEAST, *NOBODY, "--executor", "process", "--workers", "2", "--out", str(tmp_path)]) == 0
    assert records(studied) == records(tmp_path) and len(records(studied)) == 2 + 4
    assert (studied / "goals.svg").read_bytes() == (tmp_path / "goals.svg").read_bytes()


@pytest.mark.slow
def test_a_live_study_asks_each_question_once_and_can_be_replayed(tmp_path, monkeypatch, capsys):
    live, again = tmp_path / "live", tmp_path / "again"
    asking = [*SMALL, "--executor", "serial", "--llm-tasks", "1"]
    asking += ["--methods", "llm-actions", "llm-operators", "parsing-learned", "parsing-true"]
    with StubServer(lambda messages, sample, seed: REPLY) as server:
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        at = ["--model", "stub", "--base-url", server.url, "--out", str(live)]
        assert main([*asking, *at]) == 0 and main([*asking, *at]) == 0
    rows = [r for r in records(live) if "method" in r]
    assert len(rows) == 8 and {len(r["guesses"]) for r in rows if r["kind"] == "single"} == {3}
    assert all("names 4" in r["fault"] for r in rows if r["kind"] == "four")
    assert recordings(["export", str(live), str(tmp_path / "goals.jsonl.gz")]) == 0
    told = ["--recording", str(tmp_path / "goals.jsonl.gz"), "--out", str(again)]
    assert main([*asking, *told]) == 0
    assert records(again) == records(live)
    shelved = shelf(str(tmp_path / "goals.jsonl.gz"))
    monkeypatch.setattr("experiments.studies.study.shelf", lambda recording: shelved)
    part = [*SMALL, "--executor", "serial", "--llm-tasks", "2", "--out", str(tmp_path / "part")]
    assert main(part) == 0
    assert "not recorded: 2 of 4 tasks of parsing-true" in capsys.readouterr().out
    assert {r["method"] for r in records(tmp_path / "part") if "method" in r} == set(METHODS)


def test_a_slow_server_is_waited_for_as_long_as_it_is_said_and_the_study_stays_the_same():
    patient, hasty = (AskingConfig(model="m", request_timeout_s=s, wait_s=s) for s in (None, 1.0))
    for name in ("timeout_s", "total_s"):
        assert [getattr(endpoint_of(c), name) for c in (patient, hasty)] == [None, 1.0]
    assert patient.science() == hasty.science()


def test_a_study_that_was_stopped_goes_on_with_what_is_missing(tmp_path):
    units = units_of("llm-actions", some("single", 40))
    model = ScriptedModel(lambda messages, sample, seed: REPLY)
    found = []
    for some_units, asked in ((units[:1], ScriptedModel([REPLY])), (units, model)):
        with Study(AskingConfig(), RunDirectory.open(tmp_path, {}, {}), Answering("s", asked)) as study:
            found.append(study.ask(some_units, ask, 2))
    (few,), (first, *_) = found
    assert {**first, **few} == first and model.requests == len(units) - 1


def test_a_record_without_a_key_is_named_by_its_line(tmp_path):
    (tmp_path / "events.jsonl").write_text('{"event": "unit", "task": null}\n', encoding="utf-8")
    with pytest.raises(RunUnreadable, match=r"events\.jsonl:1 .*`key`"):
        Ledger(RunDirectory(tmp_path))


def test_asking_again_needs_a_server(tmp_path, capsys):
    assert main(["goals", "--retry-unanswered", "--out", str(tmp_path)]) == 2
    assert "--retry-unanswered asks a server" in capsys.readouterr().err


@pytest.mark.parametrize("fault", [Fault.EMPTY, pytest.param(Fault.CONTEXT_LENGTH, marks=pytest.mark.slow)])
def test_a_unit_without_an_answer_is_in_no_mean_and_is_asked_again(tmp_path, fault, capsys):
    asked = ["--methods", "ranking-true", "llm-actions", "--executor", "serial", "--out", str(tmp_path)]
    sizes = ["--four", "0", "--single", "2", "--learned-from", "20"]
    with StubServer([REPLY], Behaviour([Fault.NONE], always=fault)) as server:
        command = ["goals", *sizes, *asked, "--base-url", server.url, "--concurrency", "1"]
        for _ in range(2):
            assert main(command) == 1
            assert server.seen.requests == (5 if fault is Fault.EMPTY else 2)
            assert "Units without any answer" in capsys.readouterr().out
        silent = [record for record in records(tmp_path) if record.get("unanswered")]
        assert [record["method"] for record in silent] == ["llm-actions"]
        assert len((tmp_path / "goals.csv").read_text("utf-8").splitlines()) == 1 + 2 + 1
        server.behaviour = Behaviour()
        assert main([*command, "--retry-unanswered"]) == 0
        assert main(command) == 0
    assert len((tmp_path / "goals.csv").read_text("utf-8").splitlines()) == 1 + 4


def test_tables_give_pass_at_3_with_intervals():
    unit = GuessUnit("ranking-true", some("single")[0], 20, 0)
    wanted = frozenset(unit.task.wanted)
    other = frozenset(set(space_of("single").candidates[:2]) - wanted)
    rows = [judged(unit, goals) for goals in ([wanted], [other, wanted], [other], [])]
    found = Guessing([*rows, judged(replace(unit, method="llm-actions"), [], "cut off", 7)])
    assert found.share("single", "ranking-true").mean == 0.5
    assert found.share("single", "ranking-true", 1).mean == 0.25
    text = "\n".join(map(markdown, goals_tables(found)))
    assert "| llm-actions | 1 | 0.00 [0.00, 0.79] | 0.00 [0.00, 0.79] | 0.00 [0.00, 0.79] | 0.70 |" in text
    assert len(goals_csv(found).splitlines()) == 6


def test_methods_are_compared_on_the_tasks_that_all_were_given():
    """One that was asked of the easy task alone is not better than one that was asked of both."""
    easy, hard = units_of("ranking-true", some("single", 50))
    asked = replace(easy, method="llm-actions")
    right = [judged(unit, [frozenset(unit.task.wanted)]) for unit in (easy, asked)]
    found = Guessing([*right, judged(hard, [])])
    assert found.share("single", "ranking-true").mean == 0.5 and found.shared("single") == {easy.task.number}
    assert found.share("single", "ranking-true", among=found.shared("single")).mean == 1.0
    assert "Pass@3, shared 1" in markdown(goals_tables(found)[0])


def test_a_reply_without_guesses_is_told_and_costs_its_tokens():
    unit = GuessUnit("llm-actions", some("single")[0], 20, 0)
    assert ask(unit, ScriptedModel(["stew"]))["fault"] is not None


@pytest.mark.parametrize(
    "wrong",
    [
        ["--env", "grippers"],
        ["--four", "0", "--single", "0"],
        ["--learned-from", "9999"],
        ["--llm-tasks", "0"],
        ["--recording", "nothing-like-it"],
    ],
)
def test_what_cannot_be_meant_is_refused_in_a_line(wrong, tmp_path, capsys):
    assert main(["goals", *wrong, "--out", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.startswith("error: ")
