"""A further look finds what the walks of a score never reach, costs what it says, and needs no one worker."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from simulator_models import TAXI, problem_of
from wide import wide

from agents.draft import DomainDraft
from agents.llm.interface import Message
from agents.proposal import Proposal
from envs.pddl.interface import World
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.language.terms import Part
from envs.pddl.mutation.faults import MutationKind, mutated, mutations
from envs.pddl.planning.planner import Planner
from envs.pddl.simulation.compile import compile_task
from envs.source import read_texts
from envs.world import open_world
from ew.probes.further import FurtherLook
from ew.score.config import EWConfig
from ew.score.rating import Outcome
from ew.walks.adapter import transitions_of
from ew.walks.world_walks import WorldWalks
from experiments.evaluation.evaluate import CandidateEvaluation, TasksEvaluator
from experiments.evaluation.judge import Judge
from search.process_executor import ProcessExecutor

JUDGE = Judge(EWConfig(100, 10, estimator="survival"), Planner(wall_s=20), feedback="shortest")
#: A missing literal that leaves EW at 1: the world, the action, the part and the literal.
DEEP = [
    ("childsnack", "serve_sandwich_no_gluten", Part.EFFECT, "(not (ontray ?s ?t))"),
    ("barman", "empty-shaker", Part.PRECONDITION, "(holding ?h ?s)"),
    ("barman", "pour-shot-to-used-shaker", Part.EFFECT, "(shaker-level ?d ?l1)"),
]


@dataclass(frozen=True)
class Written(DomainDraft):
    """A domain as it was written."""

    written: str = ""

    def text(self) -> str:
        return self.written


def candidate(problem: str, domain: str) -> Proposal:
    said = (Message("user", "model it"), Message("assistant", domain))
    return Proposal(problem, Written("world", (), (), written=domain), said, edits=1)


def evaluator(env: str, *, further: bool = True) -> TasksEvaluator:
    return TasksEvaluator(env, (1,), 0, JUDGE, looks_further=further)


@cache
def right(env: str, *, further: bool) -> CandidateEvaluation:
    texts = read_texts(env, 1)
    return evaluator(env, further=further)(candidate(texts.problem, texts.domain))


@cache
def wrong(env: str, action: str, part: Part, literal: str) -> Proposal:
    texts = read_texts(env, 1)
    domain = read_domain(texts.domain)
    (fault,) = (
        m
        for m in mutations(domain)[MutationKind.REMOVE]
        if (m.action, m.part, m.before) == (action, part, literal)
    )
    return candidate(texts.problem, mutated(domain, fault))


@cache
def found_here(fault: tuple[str, str, Part, str]) -> CandidateEvaluation:
    return evaluator(fault[0])(wrong(*fault))


@pytest.mark.parametrize("fault", [DEEP[0], *(pytest.param(f, marks=pytest.mark.slow) for f in DEEP[1:])])
def test_a_model_that_is_wrong_beyond_the_walks_is_told_a_disagreement_before_it_plans(
    fault: tuple[str, str, Part, str],
) -> None:
    found = found_here(fault)
    assert (found.rating.outcome, found.rating.ew, found.plan) == (Outcome.WALKED, 1.0, None)
    assert found.failure == "Explained" and found.story is not None
    assert found.story.steps[-1].world != found.story.steps[-1].model
    assert all(step.world and step.model for step in found.story.steps[:-1])
    assert fault[1] in found.feedback


@pytest.mark.parametrize("env", wide(["childsnack", "grippers", "miconic_ood"], "grippers", "miconic_ood"))
def test_a_right_model_is_solved_as_before_for_the_stated_queries_at_most(env: str) -> None:
    before, after = right(env, further=False), right(env, further=True)
    assert after.rating == before.rating and after.solved
    assert 0 <= after.score.world_queries - before.score.world_queries <= FurtherLook().most
    assert after.score.not_exercised is not None and before.score.not_exercised is not None
    assert set(after.score.not_exercised) <= set(before.score.not_exercised)


def test_what_a_further_look_executed_counts_as_exercised() -> None:
    before, after = (right("childsnack", further=further) for further in (False, True))
    assert before.score.not_exercised == ("serve_sandwich_no_gluten",) and not after.score.not_exercised


@pytest.mark.slow
def test_a_worker_finds_what_is_found_here() -> None:
    env, proposal = DEEP[0][0], wrong(*DEEP[0])
    with ProcessExecutor(1) as executor:
        there = executor.submit(evaluator(env), proposal).result()
    assert replace(there, wall_s=0.0) == replace(found_here(DEEP[0]), wall_s=0.0)


@pytest.mark.parametrize("spare", [0, 7, None])
def test_with_its_score_it_keeps_to_the_steps_that_a_simulator_may_make(spare: int | None) -> None:
    world, proposal = "toytext:Taxi", candidate(problem_of("toytext:Taxi", 1), TAXI)
    spent = TasksEvaluator(world, (1,), 0, JUDGE)(proposal).score
    assert spent.simulator is not None
    most = None if spare is None else spent.simulator.steps + spare
    judge = replace(JUDGE, walks=replace(JUDGE.walks, max_world_steps=most))
    found = TasksEvaluator(world, (1,), 0, judge, looks_further=True)(proposal).score
    assert found.simulator is not None
    more = found.simulator.steps - spent.simulator.steps
    plan = Planner().plan(TAXI, problem_of(world, 1)).plan  # is carried out beside
    assert plan is not None and (more > len(plan) + 7 if spare is None else more <= len(plan) + spare)


@pytest.mark.parametrize("fault", [None, ("childsnack", "make_sandwich", Part.PRECONDITION, "(notexist ?s)")])
def test_where_a_world_lists_nothing_probes_alone_are_made(fault: tuple[str, str, Part, str] | None) -> None:
    texts, world = read_texts("childsnack", 1), open_world("childsnack", 1)
    shown = ("name", "types", "actions", "objects", "executable", "verify", "describe")
    silent = cast(World, SimpleNamespace(**{name: getattr(world, name) for name in shown}))
    walks = WorldWalks(transitions_of(silent))
    problem = read_problem(texts.problem, read_domain(wrong(*fault).domain if fault else texts.domain))
    found = FurtherLook()(walks, problem, compile_task(problem), np.random.default_rng(0))
    assert not walks.lists and walks.queries <= FurtherLook().probes.most
    assert (found is None) == (fault is None)
