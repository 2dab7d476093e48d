"""A world's texts are read once when it is opened, and a candidate's once in an evaluation."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from gripper_answers import FIRST_DOMAINS

import envs.source
from agents.check import check_candidate
from agents.draft import DomainDraft
from agents.llm.interface import Completion, Message
from agents.proposal import Proposal
from agents.refine import read_domain_reply
from agents.texts import WorldTexts
from envs.pddl.diagnosis.diagnose import diagnose
from envs.pddl.language import domain as language
from envs.pddl.planning.planner import Planner
from envs.source import read_texts
from envs.truth import forget_truths, truth_of
from envs.world import PddlWorld, open_world
from ew.score.config import EWConfig
from experiments.evaluation.evaluate_tasks import TasksEvaluator
from experiments.evaluation.judge import Judge
from experiments.evaluation.solve import ModelSolver

JUDGE = Judge(EWConfig(walks=40, t_max=5, estimator="survival"), Planner(wall_s=60), feedback="shortest")
READERS = ((envs.source, "read_texts"), (language, "read_domain"), (language, "read_problem"))


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often texts were read, by the reader, wherever it was imported to."""
    made: Counter[str] = Counter()

    def counted(name: str, reader: Callable[..., Any]) -> Callable[..., Any]:
        def read(*arguments: Any) -> Any:
            made[name] += 1
            return reader(*arguments)

        return read

    for home, name in READERS:
        reader = getattr(home, name)
        for module in [m for m in sys.modules.values() if getattr(m, name, None) is reader]:
            if module is not sys.modules[__name__]:
                monkeypatch.setattr(module, name, counted(name, reader))
    forget_truths()
    return made


@pytest.mark.parametrize("world", ["grippers", "grippers+compact", "barman+terse"])
def test_opening_a_world_reads_its_texts_once(world: str, reads: Counter[str]) -> None:
    opened = open_world(world, 1)
    assert reads == {"read_texts": 1, "read_domain": 1, "read_problem": 1}
    assert opened.applicable() and reads["read_texts"] == 1
    open_world(world, 1)
    assert reads == {"read_texts": 2, "read_domain": 1, "read_problem": 1}  # the files may have changed


def test_a_truth_that_was_forgotten_is_read_again_and_the_same(reads: Counter[str]) -> None:
    world = open_world("grippers", 1)
    assert isinstance(world, PddlWorld)
    first = truth_of(world.key)
    assert truth_of(world.key) is first
    forget_truths()
    again = truth_of(world.key)
    assert again is not first and again.task.operators == first.task.operators
    assert reads == {"read_texts": 2, "read_domain": 2, "read_problem": 2}


def test_an_attempt_reads_the_models_texts_once_and_the_worlds_for_itself_and_its_environment(
    reads: Counter[str],
) -> None:
    texts = read_texts("grippers", 1)
    solve = ModelSolver("grippers", 0, JUDGE)
    assert solve(1, texts.domain, texts.problem).solved
    assert reads == {"read_texts": 2, "read_domain": 2, "read_problem": 2}  # the world's, and the model's
    solve(1, texts.domain, texts.problem)
    assert reads == {"read_texts": 4, "read_domain": 3, "read_problem": 3}


@pytest.mark.parametrize("reply", range(len(FIRST_DOMAINS)))
def test_an_evaluation_reads_a_candidate_once(reply: int, reads: Counter[str]) -> None:
    texts = WorldTexts.of(open_world("grippers", "f01"))
    problem = read_texts("grippers", "f01").problem.replace("gripper-strips", "grippers")
    root = Proposal(problem, DomainDraft.empty("grippers", texts.types, texts.actions))
    candidate = read_domain_reply(root, (Message("user", "write"),), Completion(FIRST_DOMAINS[reply]))
    reads.clear()
    TasksEvaluator("grippers", ("f01",), 0, JUDGE)(candidate)
    assert reads["read_domain"] <= 1 and reads["read_problem"] <= 1 and reads["read_texts"] <= 1


@pytest.mark.parametrize("wrong", ["", "(:types oak)", "(:init", "robot1", "(define"])
def test_what_a_check_finds_is_what_the_diagnosis_finds(wrong: str) -> None:
    texts = WorldTexts.of(open_world("grippers", "f01"))
    problem = read_texts("grippers", "f01").problem.replace("gripper-strips", "grippers")
    broken = problem.replace(wrong, "", 1) if wrong else problem
    root = Proposal(broken, DomainDraft.empty("grippers", texts.types, texts.actions))
    for reply in FIRST_DOMAINS:
        made = read_domain_reply(root, (Message("user", "write"),), Completion(reply))
        checked, errors = check_candidate(made), diagnose(made.domain, broken).errors
        if checked.outcome is None:
            assert not errors and checked.read is not None and checked.read.domain.name == "grippers"
        elif checked.outcome.name == "INVALID_DOMAIN":
            assert checked.read is None and getattr(checked.failure, "diagnosis").errors == errors  # noqa: B009
