"""A candidate's texts are read once in an evaluation, and those of a model once in an attempt at a task."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from gripper_answers import FIRST_DOMAINS

from agents.draft import DomainDraft
from agents.llm.interface import Completion, Message
from agents.proposal import Proposal, check_candidate
from agents.refine import read_domain_reply
from agents.texts import WorldTexts
from envs.pddl.diagnosis.diagnose import diagnose
from envs.pddl.language import domain as language
from envs.pddl.planning.planner import Planner
from envs.source import read_texts
from envs.world import open_world
from ew.score.config import EWConfig
from experiments.evaluation.evaluate import TasksEvaluator
from experiments.evaluation.judge import Judge
from experiments.evaluation.solve import ModelSolver

JUDGE = Judge(EWConfig(walks=40, t_max=5, estimator="survival"), Planner(wall_s=60), feedback="shortest")
READERS = ((language, "read_domain"), (language, "read_problem"))


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
    return made


def test_an_attempt_reads_the_texts_of_the_model_once_and_the_truth_not_again(reads: Counter[str]) -> None:
    texts, world = read_texts("grippers", 1), open_world("grippers", 1)
    assert world.applicable()
    reads.clear()
    assert ModelSolver("grippers", 0, JUDGE)(1, texts.domain, texts.problem).solved
    assert reads == {"read_domain": 1, "read_problem": 1}


@pytest.mark.parametrize("reply", range(len(FIRST_DOMAINS)))
def test_an_evaluation_reads_a_candidate_once(reply: int, reads: Counter[str]) -> None:
    texts = WorldTexts.of(open_world("grippers", "f01"))
    problem = read_texts("grippers", "f01").problem.replace("gripper-strips", "grippers")
    root = Proposal(problem, DomainDraft.empty("grippers", texts.types, texts.actions))
    candidate = read_domain_reply(root, (Message("user", "write"),), Completion(FIRST_DOMAINS[reply]))
    reads.clear()
    TasksEvaluator("grippers", ("f01",), 0, JUDGE)(candidate)
    assert reads["read_domain"] <= 1 and reads["read_problem"] <= 1


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
