"""Flags on how models are written: free parameters and STRIPS alone, from the command line to the records."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from true_answers import Knowing

from agents.llm.interface import Completion, Message, Usage
from agents.llm.stub import StubServer
from envs.instructions import make_instruction
from envs.pddl.language.domain import read_domain
from envs.pddl.planning.planner import Planner
from envs.source import read_texts
from experiments.config import RunConfig
from experiments.driver.plan import resolve
from experiments.recordings import main as recordings
from experiments.recordings import shelf
from experiments.run import main
from experiments.runs.details import Built
from experiments.runs.directory import RunDirectory
from experiments.runs.ledger import Ledger
from experiments.studies.worldmodel import WorldModelConfig

TRUE = read_texts("logistics", 1).domain
#: load-truck with its parameters in another order, under other names, and one more.
OWN = TRUE.replace(
    "(?p - package ?t - truck ?l - location)", "(?x - truck ?y - location ?z - package ?c - city)", 1
)
HEAD, _, REST = OWN.partition("(:action load-truck")
BODY, END, TAIL = REST.partition("(:action")
for old, new in (("?p", "?z"), ("?t ", "?x "), ("?t)", "?x)"), ("?l", "?y")):
    BODY = BODY.replace(old, new)
OWN = f"{HEAD}(:action load-truck{BODY}{END}{TAIL}"
MADE = make_instruction("logistics", 1)
PROBLEM = read_texts("logistics", MADE.task).problem
BASE = ("worldmodel", "--executor", "serial", "--env", "logistics", "--seeds", "0", "--tasks", "1")


def knowing(domain: str) -> Callable[[Sequence[Message], int, int], Completion]:
    """Whoever writes this domain, and plans in it that lack their first step until that is said."""
    tasks = {read_texts("logistics", n).task: read_texts("logistics", n).problem for n in ("f01", "f02")}
    model = Knowing(read_domain(domain), None, tasks)
    plan = Planner().plan(domain, PROBLEM).plan or ()

    def answer(messages: Sequence[Message], index: int, seed: int) -> Completion:
        first = messages[1].content
        if MADE.start not in first:
            text = model.reply(messages, index, seed)
        elif first.startswith("Translate what a person asks for"):
            text = f"```pddl\n{PROBLEM}\n```"
        else:
            steps = plan if len(messages) > 2 else plan[1:]
            text = "\n".join(f"Step {i}:\naction: {step}" for i, step in enumerate(steps, 1))
        return Completion(text, usage=Usage(9, 9), model="hand")

    return answer


def run(server: StubServer, out: Path, *flags: str) -> int:
    return main([*BASE, "--base-url", server.url, "--out", str(out), *flags])


def built(out: Path) -> Built:
    made = [episode.added(Built) for episode in Ledger(RunDirectory(out)).episodes]
    assert made[0] is not None and all(one == made[0] for one in made)
    return made[0]


def first_asked(bodies: Sequence[Mapping[str, Any]]) -> str:
    return next(b["messages"][1]["content"] for b in bodies if "load-truck" in b["messages"][1]["content"])


@pytest.mark.slow
def test_a_model_that_chooses_its_parameters_is_used_and_its_plans_run_in_the_environment(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, file = tmp_path / "live", tmp_path / "free.jsonl.gz"
    methods = ("--method", "plan-shown", "plan-shown-advised", "plan-by-model")
    with StubServer(knowing(OWN)) as server:
        assert run(server, out, *methods, "--free-parameters") == 0
        assert "Its parameters are yours to choose" in first_asked(server.seen.bodies)
    ledger = Ledger(RunDirectory(out))
    outcomes = {task.method: task.outcome.value for task in ledger.tasks}
    assert outcomes == {
        "plan-shown": "step_rejected",
        "plan-shown-advised": "solved",
        "plan-by-model": "solved",
    }
    model = built(out)
    assert "?x - truck" in model.written and model.ending == "cannot judge" and model.ew_after is None
    assert dict(model.before or {}) == {"extra parameter": 1} and "its own" in model.note
    advised = next(task for task in ledger.tasks if task.method == "plan-shown-advised")
    assert dict(advised.told) == {"unmet precondition": 1}
    assert recordings(["export", str(out), str(file)]) == 0
    replay = ["worldmodel", "--executor", "serial", "--recording", str(file), *methods]
    assert main([*replay, "--free-parameters", "--out", str(tmp_path / "again")]) == 0
    assert built(tmp_path / "again") == model
    assert main([*replay, "--out", str(tmp_path / "other")]) == 2
    assert main([*replay, "--free-parameters", "--strips-only", "--out", str(tmp_path / "other")]) == 2
    assert "--free-parameters --strips-only: no recording" in capsys.readouterr().err
    assert all(
        "modelling" not in unit.as_data()
        for unit in resolve(RunConfig.of(WorldModelConfig(model="m")), ()).units
    )
    assert "--free-parameters" in str(shelf(str(file))[0].covers[0])


@pytest.mark.slow
def test_where_strips_is_asked_for_a_conditional_effect_is_sent_back(tmp_path: Path) -> None:
    action = "(when (package-at ?p ?l) (package-in-truck ?p ?t))"
    beyond = TRUE.replace("(package-in-truck ?p ?t) (not", f"{action} (not", 1)
    assert beyond != TRUE
    flags = ("--method", "plan-by-model")
    with StubServer(knowing(beyond)) as server:
        assert run(server, tmp_path / "usual", *flags) == 0
        assert "exists, forall; effects may use and, not, forall, when" in first_asked(server.seen.bodies)
    assert not built(tmp_path / "usual").faults
    with StubServer(knowing(beyond)) as server:
        assert run(server, tmp_path / "strips", *flags, "--strips-only") in (0, 1)
        assert "Conditions may use and, not, =; effects may use and, not." in first_asked(server.seen.bodies)
    strict = built(tmp_path / "strips")
    assert strict.faults["unsupported keyword"] >= 2 and strict.unwritten == ("load-truck",)


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (("--strips-only",), "--strips-only is about the model that a method writes, so it means nothing"),
        (("--strips-only", "--method", "plan-alone"), "nothing for plan-alone; name others with --method"),
        (("--free-parameters", "--method", "plan-advised"), "nothing for plan-advised; name others"),
        (("--free-parameters", "--method", "plan-shown", "plan-alone"), "nothing for plan-alone"),
    ],
)
def test_flags_are_refused_for_methods_that_do_not_use_them(
    flags: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["worldmodel", "--model", "m", *flags]) == 2
    assert says in capsys.readouterr().err


def test_a_plan_that_works_is_refused_where_the_model_has_its_own_parameters(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = tmp_path / "plan.txt"
    plan.write_text("(load-truck package1 truck2 location6)\n", encoding="utf-8")
    flags = ("--method", "plan-by-model", "--free-parameters", "--plan-that-works", str(plan))
    assert main([*BASE, "--model", "m", *flags]) == 2
    assert "--plan-that-works is written with the environment's parameters" in capsys.readouterr().err


def test_the_main_job_and_others_do_not_know_these_flags(capsys: pytest.CaptureFixture[str]) -> None:
    for job in ((), ("tic",)):
        assert main([*job, "--model", "m", "--free-parameters"]) == 2
        assert "unknown flag --free-parameters" in capsys.readouterr().err
