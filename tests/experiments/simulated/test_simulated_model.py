"""Laws of simulated language models, asked by the agents themselves, without a run directory or a walk."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from stand_in import refiner, stand_in, texts

from agents.intrinsic import ask_for_plan
from agents.llm.errors import ErrorKind, LLMError
from agents.llm.interface import Message
from agents.proposal import check_candidate
from agents.refine import Failing, Improver, Refiner, Wanted
from agents.requests import DomainStanding, problem_request
from agents.tic.translate import in_context_request
from envs.pddl.planning.planner import Planner
from envs.registry import WORLDS_FOLDER, worlds
from envs.world import open_world
from ew.counterexample.feedback import (
    EditsRefused,
    Incorrect,
    InsaneDomain,
    NoEdit,
    NoInitialAction,
    render_failure,
)
from experiments.config import ConfigError
from experiments.methods.translation import knowledge_of
from experiments.simulated.gold import Gold
from experiments.simulated.rates import PROFILES, Rates
from experiments.simulated.sketch import scene_of, sketch_of

#: Every mistake, and nothing that mends one.
HOPELESS = Rates(
    truncate=0.1, repeat=0.2, garble=0.2, forget=0.3, swap=0.3, miss=0.2, mistype=0.3, misstate=0.8,
)  # fmt: skip
FAILURES = [
    "Incorrect.\n\nNext action: (move robot1 room1 room2)",
    render_failure(InsaneDomain(("move", "pick", "drop"))),
    render_failure(NoEdit("No call was found.")),
    render_failure(EditsRefused(("no",))),
    render_failure(NoInitialAction("state", "(pick robot1 ball1 room1 lgripper1)")),
    render_failure(Incorrect()),
]


#: Worlds of few and of many types, actions and quantifiers; all others are slow.
FEW_WORLDS = ("grippers", "household", "termes")


@pytest.mark.parametrize(
    "env",
    [
        *(pytest.param(env, marks=() if env in FEW_WORLDS else pytest.mark.slow) for env in worlds()),
        *("grippers+anonymised", "barman+undocumented"),
    ],
)
def test_a_perfect_stand_in_is_right_in_every_environment_at_once(env: str) -> None:
    perfect = refiner(Rates(), env)
    gold = Gold.of([(env, 1), (env, 2)])
    (root,) = perfect.problems(1, 0)
    (child,) = perfect.domains(root, "", 1, 0)
    checked = check_candidate(child)
    assert checked.failure is None and child.refusals == ()
    assert sketch_of(checked.domain) == gold.tasks[0].domain.sketch
    assert scene_of(str(checked.problem)) == gold.tasks[0].scene
    reading = Improver((perfect.texts,), perfect.model).translate(child, texts(env, 2), 0)
    assert scene_of(str(reading.problem)) == gold.tasks[1].scene


def test_a_perfect_stand_in_is_right_from_a_drafted_domain_too() -> None:
    perfect = Refiner(texts(), stand_in(Rates()), draft_domain_first=True)
    (root,) = perfect.problems(1, 0)
    (child,) = perfect.domains(root, "", 1, 0)
    assert check_candidate(child).failure is None


def test_a_perfect_stand_in_plans() -> None:
    found = ask_for_plan(stand_in(Rates()), texts(), 0, chain_of_thought=True)
    assert open_world("grippers", 1).verify(found.plan or ()).goal_reached


def test_a_true_task_without_a_plan_in_time_is_an_error_and_no_answer() -> None:
    model = stand_in(Rates())
    late = replace(model, planner=Planner(wall_s=0.0))
    with pytest.raises(LLMError, match=r"no plan for the true task .* larger --planner-wall-s") as caught:
        ask_for_plan(late, texts(), 0, chain_of_thought=True)
    assert caught.value.kind is ErrorKind.CONFIG


@pytest.mark.parametrize(
    "seed", [*range(4), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(4, 12))]
)
@pytest.mark.parametrize("failure", FAILURES)
def test_without_fixing_nothing_ever_improves(failure: str, seed: int) -> None:
    """The domain of a child is its parent's, whatever it is told: as good, and no better."""
    hopeless = refiner(HOPELESS)
    (root,) = refiner(Rates()).problems(1, 0)
    (parent,) = hopeless.domains(root, "", 1, seed)
    for turn in range(3):
        (child,) = hopeless.domains(parent, failure, 1, seed + turn)
        assert sketch_of(child.domain) == sketch_of(parent.domain)
        parent = child


@pytest.mark.parametrize("seed", range(6))
def test_without_fixing_no_problem_improves(seed: int) -> None:
    improver = Improver((texts(),), stand_in(HOPELESS))
    perfect = Improver((texts(),), stand_in(Rates()))
    (root,) = perfect.roots(1, 0)
    (solution,) = perfect.children(root, Failing("", 0, Wanted.DOMAIN), 1, 0)
    first = improver.translate(solution, texts(task=2), seed)
    again = improver.another_problem(first, FAILURES[0], solution, texts(task=2), seed, DomainStanding.KEPT)
    if again.problem is not None and first.problem is not None:
        assert scene_of(again.problem) == scene_of(first.problem)
    else:
        assert again.problem is None


def test_a_fault_that_is_always_fixed_is_gone_in_as_many_turns_as_there_are_faults() -> None:
    rates = Rates(forget=0.3, fix=1.0)
    learning = refiner(rates)
    gold = Gold.of([("grippers", 1)]).tasks[0].domain.sketch
    (root,) = learning.problems(1, 0)
    (child,) = learning.domains(root, "", 1, 3)
    wrong = sum(sketch_of(child.domain).rules[name] != rule for name, rule in gold.rules.items())
    assert wrong
    for _ in range(14):
        (child,) = learning.domains(child, render_failure(Incorrect()), 1, 0)
    found = sketch_of(child.domain)
    assert {n: set(r.precondition + r.effect) for n, r in found.rules.items()} == {
        n: set(r.precondition + r.effect) for n, r in gold.rules.items()
    }


def test_an_answer_depends_on_messages_seed_and_sample_alone() -> None:
    weak = stand_in(PROFILES["weak"])
    messages = problem_request(texts())
    together = weak.sample(messages, 8, 0.7, 5)
    backwards = {i: weak.stream(messages, [i], 0.7, 5) for i in reversed(range(8))}
    assert tuple(next(backwards[i]) for i in range(8)) == together
    assert stand_in(PROFILES["weak"]).sample(messages, 8, 0.7, 5) == together
    assert weak.sample(messages, 8, 0.7, 6) != together
    # Fewer samples are the first of more, so the best of more is never worse.
    assert weak.sample(messages, 3, 0.7, 5) == together[:3]
    assert len({c.text for c in together}) > 1
    assert [c.usage.prompt_tokens > 0 for c in together] == [True] + [False] * 7
    assert {c.model for c in together} == {"simulated:test"}


_SCRIPT = """
import hashlib
from stand_in import refiner
from experiments.simulated.rates import PROFILES
weak = refiner(PROFILES["weak"])
roots = weak.problems(6, 1)
found = [c for r in roots if r.problem for c in weak.domains(r, "", 3, 2)]
again = [d for c in found for d in weak.domains(c, "Incorrect.\\n\\nNext action: (move a b c)", 1, 3)]
print(hashlib.sha256(repr([p.messages for p in again]).encode()).hexdigest())
"""


@pytest.mark.slow  # two processes; the search's test of hash seeds is fast
def test_answers_are_the_same_under_any_hash_seed() -> None:
    here = str(Path(__file__).parents[1])
    digests = set()
    for hash_seed in ("1", "2"):
        path = os.pathsep.join([here, str(Path(__file__).parents[3])])
        env = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": path}
        done = subprocess.run(
            [sys.executable, "-c", _SCRIPT], env=env, capture_output=True, text=True, check=True
        )
        digests.add(done.stdout.strip())
    assert len(digests) == 1 and len(digests.pop()) == hashlib.sha256().digest_size * 2


def test_cut_and_garbled_answers_are_outcomes_of_the_real_path() -> None:
    (root,) = refiner(Rates(garble=1.0)).problems(1, 0)
    assert root.problem is None and "do not balance" in str(root.fault)
    (root,) = refiner(Rates(truncate=1.0)).problems(1, 0)
    assert root.problem is None and "token limit" in str(root.fault)
    (right,) = refiner(Rates()).problems(1, 0)
    for child in refiner(Rates(garble=1.0)).domains(right, "", 8, 0):
        assert child.refusals
        assert check_candidate(child).failure is not None


def test_what_is_no_task_of_the_run_is_an_error_that_says_so() -> None:
    model = stand_in(Rates(), ("grippers", 1))
    with pytest.raises(LLMError, match="no task of this run") as error:
        model.sample(problem_request(texts("movie")), 1, 0.0, 0)
    assert error.value.kind is ErrorKind.CONFIG
    with pytest.raises(LLMError, match="begins with no request"):
        model.sample(in_context_request(knowledge_of("grippers"), "a task"), 1, 0.0, 0)
    with pytest.raises(LLMError):
        model.sample([Message("user", "Hello.")], 1, 0.0, 0)


def test_environments_that_texts_cannot_tell_apart_are_refused(tmp_path: Path) -> None:
    read = WORLDS_FOLDER / "grippers"
    for name, change in (("one", ""), ("two", "(at-robby ?r ?room) (free ?r ?g)")):
        folder = tmp_path / name / "rooms"
        folder.mkdir(parents=True)
        domain = (read / "domain.pddl").read_text(encoding="utf-8")
        assert change in domain
        changed = domain.replace(change, "(free ?r ?g)", 1) if change else domain
        (folder / "domain.pddl").write_text(changed, encoding="utf-8")
        (folder / "p01.pddl").write_text((read / "p01.pddl").read_text(encoding="utf-8"), encoding="utf-8")
    one, two = ((f"{tmp_path / name / 'rooms'}+undocumented", 1) for name in ("one", "two"))
    assert len(Gold.of([one, one]).tasks) == 2
    with pytest.raises(ConfigError, match="cannot tell them apart"):
        Gold.of([one, two])
