"""Candidates too large to be ground: scored by estimators of ours, set aside by the published one."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from agents.draft import DomainDraft
from agents.llm.interface import Completion, Message
from agents.llm.stub import StubServer
from agents.proposal import Proposal
from agents.refine import read_domain_reply
from agents.texts import WorldTexts
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.planning.planner import Planner
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.grounding import GroundingExploded, Limits
from envs.world import open_world
from ew.score.config import EstimatorName, EWConfig
from ew.score.rating import Outcome
from experiments.evaluation.evaluate import CandidateEvaluation, Evaluator
from experiments.evaluation.judge import Judge
from experiments.run import main

BEADS = 20
#: Fewer operators than usual are allowed, so that it is soon clear that there are too many.
FEW = Limits(max_groundings=1000)
_NAMES = " ".join(f"b{i}" for i in range(BEADS))
DOMAIN = """(define (domain beads) (:requirements :strips :typing) (:types bead)
 (:predicates (next ?x ?y - bead) (held ?x - bead))
 (:action shift :parameters (?a ?b ?c ?d ?e ?f - bead)
  :precondition (and (held ?a) (next ?a ?b) (next ?b ?c) (next ?c ?d) (next ?d ?e) (next ?e ?f))
  :effect (and (held ?b) (not (held ?a)))))"""
PROBLEM = f"""(define (problem first) (:domain beads) (:objects {_NAMES} - bead)
 (:init (held b0) {" ".join(f"(next b{i} b{(i + 1) % BEADS})" for i in range(BEADS))})
 (:goal (held b2)))"""
_PREDICATES = 'add_or_update_predicates(["(next ?x - bead ?y - bead)", "(held ?x - bead)"])'
_TIES = "".join(f'"(next ?{x} ?{y})", ' for x, y in zip("abcde", "bcdef", strict=True))
#: BEADS ** 5 operators are applicable at first: whatever is held may be shifted anywhere.
PERMISSIVE = f"""```python
{_PREDICATES}
modify_action("shift", ["(held ?a)"], ["(held ?b)", "(not (held ?a))"])
```"""
RIGHT = PERMISSIVE.replace('["(held ?a)"]', f'[{_TIES}"(held ?a)"]')


@pytest.fixture
def beads(tmp_path: Path) -> str:
    """The folder of a world in which one action of six parameters is narrowly tied."""
    folder = tmp_path / "beads"
    folder.mkdir()
    texts = {
        "domain.pddl": DOMAIN,
        "p01.pddl": PROBLEM,
        "domain.nl": "Beads on a ring.",
        "p01.nl": "Hold b2.",
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return str(folder)


def evaluate(
    world: str, estimator: EstimatorName, reply: str = PERMISSIVE, **judge: object
) -> CandidateEvaluation:
    texts = WorldTexts.of(open_world(world, 1))
    draft = DomainDraft.empty("beads", texts.types, texts.actions)
    candidate = read_domain_reply(Proposal(PROBLEM, draft), (Message("user", "write"),), Completion(reply))
    settings = Judge(EWConfig(40, 5, estimator=estimator), Planner(wall_s=20), FEW)
    return Evaluator(world, 1, 0, replace(settings, **judge))(candidate)


def test_the_published_estimator_sets_a_permissive_candidate_aside(beads: str) -> None:
    found = evaluate(beads, "paper")
    assert found.rating.outcome is Outcome.EXPLODED and "model is too large" in found.feedback


@pytest.mark.parametrize("estimator", ["prefix", "survival"])
def test_a_permissive_candidate_is_scored_and_shown_a_disagreement(
    beads: str, estimator: EstimatorName
) -> None:
    found = evaluate(beads, estimator)
    assert found.rating.outcome is Outcome.WALKED and found.rating.ew == found.score.ew
    assert found.score.forward == 1.0 and 0.0 <= (found.score.backward or 0.0) < 0.01
    assert found.failure == "Disagreement" and "The environment does not execute" in found.feedback
    assert 0 < found.score.world_queries <= 2 * (1 + 40 * 5)
    assert replace(evaluate(beads, estimator), wall_s=0.0) == replace(found, wall_s=0.0)


def test_its_disagreement_is_cut_down_too(beads: str) -> None:
    found = evaluate(beads, "survival", feedback="shortest")
    assert found.failure == "Shrunk" and "- in the environment: refused" in found.feedback
    assert "No action was executed before" in found.feedback


def test_the_right_candidate_is_no_explosion_and_is_solved(beads: str) -> None:
    assert evaluate(beads, "survival", RIGHT).solved


def test_a_world_of_many_ground_actions_allows_its_models_as_many(tmp_path: Path) -> None:
    names = " ".join(f"b{i}" for i in range(150))
    domain = """(define (domain pairs) (:predicates (on ?x ?y) (lit))
     (:action join :parameters (?x ?y) :precondition (lit) :effect (on ?x ?y)))"""
    problem = f"(define (problem first) (:domain pairs) (:objects {names}) (:init (lit)) (:goal (on b0 b1)))"
    texts = {"domain.pddl": domain, "p01.pddl": problem, "domain.nl": "Pairs.", "p01.nl": "Join b0 and b1."}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    read = read_problem(problem, read_domain(domain))
    with pytest.raises(GroundingExploded):
        compile_task(read, Limits())
    judge = Judge(EWConfig(), Planner())
    assert len(judge.compile(read, open_world(str(tmp_path), 1)).operators) == 150 * 150


def test_agreement_in_all_walks_leaves_the_size_as_what_is_to_be_mended(beads: str) -> None:
    found = evaluate(beads, "survival", RIGHT, limits=Limits(max_groundings=5))
    assert found.rating.outcome is Outcome.WALKED and found.score.ew == 1.0 and not found.solved
    assert found.failure == "Exploded" and "model is too large" in found.feedback


def test_a_candidate_without_a_first_step_is_told_so(beads: str) -> None:
    never = PERMISSIVE.replace('["(held ?a)"]', '["(held ?a)", "(forall (?x - bead) (not (held ?x)))"]')
    assert evaluate(beads, "paper", never).rating.outcome is Outcome.EXPLODED
    found = evaluate(beads, "survival", never)
    assert found.rating.outcome is Outcome.NO_INITIAL_ACTION and "(shift b0" in found.feedback


def test_after_its_processor_time_it_has_exploded(beads: str) -> None:
    assert evaluate(beads, "survival", limits=Limits(cpu_s=1e-9)).rating.outcome is Outcome.EXPLODED


def test_conditions_too_long_for_one_question_are_not_begun(beads: str) -> None:
    clause = '"(forall (?x - bead ?y - bead ?z - bead) (or (not (held ?x)) (next ?y ?z) (not (next ?y ?z))))"'
    long = PERMISSIVE.replace('["(held ?a)"]', f'["(held ?a)", {clause}]')
    assert evaluate(beads, "survival", long).rating.outcome is Outcome.EXPLODED


def answer(messages: Sequence[Message], index: int, seed: int) -> Completion:
    """The right problem, a permissive domain, and the right one when it is told the shortest disagreement."""
    asked = messages[-1].content
    if "shortest case that was found" in asked:
        return Completion(RIGHT)
    return Completion(PERMISSIVE if "def modify_action" in asked else f"```pddl\n{PROBLEM}\n```")


@pytest.mark.slow  # with the limits that a run has
def test_a_run_refines_a_permissive_candidate_by_its_disagreement(beads: str, tmp_path: Path) -> None:
    flags = ["--env", beads, "--method", "chain", "--turns", "2", "--tasks", "1"]
    flags += ["--walks", "40", "--t-max", "5"]
    flags += ["--estimator", "survival", "--feedback", "shortest", "--executor", "serial"]
    with StubServer(answer) as server:
        assert main([*flags, "--base-url", server.url, "--out", str(tmp_path / "run")]) == 0
    lines = (tmp_path / "run" / "events.jsonl").read_text(encoding="utf-8").splitlines()
    nodes = [e for e in map(json.loads, lines) if e["event"] == "node"]
    assert [n["outcome"] for n in nodes[1:]] == ["WALKED", "SOLVED"]
    assert nodes[1]["failure"] == "Shrunk" and "shortest case that was found" in nodes[1]["feedback"]
    rows = list(csv.DictReader((tmp_path / "run" / "results.csv").open(encoding="utf-8")))
    assert [r["outcome"] for r in rows] == ["solved"]
    again = ["--recording", str(tmp_path / "run"), "--out", str(tmp_path / "again"), *flags]
    assert main(again) == 0 and main([*again, "--feedback", "paper", "--fresh"]) == 2
