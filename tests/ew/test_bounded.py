"""Models that cannot be listed: what is found is real, what is asked is bounded, giving up is told."""

import pickle
import time

import numpy as np
import pytest
from test_any_world import DOMAIN, PROBLEM, Lift

from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.simulation.compile import compile_task
from ew.counterexample.shrink import shrink_by
from ew.lifted.relations import TooManyAtoms
from ew.lifted.sampled import LiftedSystem
from ew.lifted.sampled_score import BoundedLifted, OutOfCpuTime, TooLong
from ew.score.config import EWConfig
from ew.walks.walk import sample_walks

JUMP = (
    "(:action jump :parameters (?a ?b ?c ?d ?e ?f ?g ?h ?i ?j ?k - floor) "
    ":precondition (at ?a) :effect (not (at ?b)))\n (:action down"
)


def model(old="(:action down", new=JUMP):
    assert old in DOMAIN
    return read_problem(PROBLEM, read_domain(DOMAIN.replace(old, new)))


def generator():
    return np.random.default_rng(0)


@pytest.mark.parametrize("estimator", ["prefix", "survival"])
def test_a_score_below_one_has_a_real_disagreement_and_the_queries_are_bounded(estimator):
    config = EWConfig(20, 5, estimator=estimator)
    both = BoundedLifted(Lift(), model(), config, cpu_s=60)
    score = both.score(generator())
    found = both.disagreement(generator())
    assert score.score < 1 and found.failing.startswith("(jump")
    assert Lift().executable(found.walk).steps == len(found.walk) - 1
    assert found.state == Lift().describe(found.executed)
    assert 0 < both.world_queries <= 2 * config.most_queries


def test_the_look_for_a_disagreement_asks_nothing_new_after_the_walks_of_the_score():
    both = BoundedLifted(Lift(), model(), EWConfig(20, 5, estimator="prefix"), cpu_s=60)
    both.score(generator())
    before = both.world_queries
    both.disagreement(generator())
    # The score's walks stop at a refusal, and so do these: they are the same.
    assert both.world_queries == before


def test_where_survival_cannot_count_prefix_gives_the_score(monkeypatch):
    config = EWConfig(20, 5, estimator="survival")
    by_name = BoundedLifted(Lift(), model(), EWConfig(20, 5, estimator="prefix"), cpu_s=60).score(generator())
    monkeypatch.setattr(LiftedSystem, "count", lambda self, state: None)
    both = BoundedLifted(Lift(), model(), config, cpu_s=60)
    found = both.score(generator())
    assert found.forward == by_name.forward == 1.0 and found.score < 0.1
    assert both.disagreement(generator()) is not None and both.world_queries <= 3 * config.most_queries


def test_a_right_model_has_no_disagreement():
    both = BoundedLifted(Lift(), read_problem(PROBLEM, read_domain(DOMAIN)), EWConfig(20, 5), cpu_s=60)
    assert both.score(generator()).score == 1.0 and both.disagreement(generator()) is None


def test_a_disagreement_is_cut_down_with_its_own_operators_alone():
    forgetful = DOMAIN.replace("(not (at ?from)) (at ?to)", "(at ?to)")
    both = BoundedLifted(
        Lift(), read_problem(PROBLEM, read_domain(forgetful)), EWConfig(20, 5, estimator="prefix"), 60
    )
    found = both.disagreement(generator())
    short = shrink_by(Lift(), both.ran, found)
    assert short.minimal and len(short.disagreement.walk) == 2


def test_walks_run_as_in_the_compiled_task():
    problem = read_problem(PROBLEM, read_domain(DOMAIN))
    task, both = compile_task(problem), BoundedLifted(Lift(), problem, EWConfig(20, 5), 60)
    walks = sample_walks(task, [6] * 8, generator())
    assert [both.ran(walks.words(row, task)) for row in range(8)] == [6] * 8
    assert both.ran(("(fly f0 f1)",)) == 0


def test_after_its_deadline_a_model_is_not_asked():
    both = BoundedLifted(Lift(), model(), EWConfig(20, 5), cpu_s=-1.0)
    with pytest.raises(OutOfCpuTime, match="more than -1 s"):
        both.score(generator())


def test_a_model_is_asked_up_to_its_deadline_and_not_after(monkeypatch):
    now = 1.0
    monkeypatch.setattr(time, "thread_time", lambda: now)
    both = BoundedLifted(Lift(), model(), EWConfig(20, 5), cpu_s=2.0)
    now = 3.0
    both.score(generator())
    now = 3.5
    with pytest.raises(OutOfCpuTime, match="more than 2 s"):
        both.score(generator())


def test_conditions_too_long_for_one_question_are_refused_at_once():
    condition = "(forall (?a ?b ?c ?d ?e - floor) (at ?a))"
    long = f"(:action long :parameters (?from ?to - floor) :precondition {condition}"
    problem = model("(:action down", f"{long} :effect (at ?to))\n (:action down")
    with pytest.raises(TooLong, match="`long` has 1025 literals"):
        BoundedLifted(Lift(), problem, EWConfig(20, 5), cpu_s=60)


@pytest.mark.parametrize("error", [OutOfCpuTime("2.5 s"), TooLong("pick"), TooManyAtoms("90 objects")])
def test_reasons_survive_pickling(error):
    assert str(pickle.loads(pickle.dumps(error))) == str(error)  # noqa: S301 (our own bytes)
