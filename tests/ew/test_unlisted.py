"""Models that cannot be listed: what is found is real, what is asked is bounded, giving up is told."""

import pickle

import numpy as np
import pytest
from test_any_world import DOMAIN, PROBLEM, Lift

from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.simulation.compile import compile_task
from ew.counterexample.shrink import shrink
from ew.lifted.problem import LiftedSystem
from ew.lifted.relations import TooManyAtoms
from ew.lifted.sampled import NamedOperators
from ew.lifted.unlisted import OutOfTime, TooLong, Unlisted
from ew.score.config import EWConfig
from ew.walks.budget import most_queries
from ew.walks.walk import run_walks, sample_walks

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
    both = Unlisted(Lift(), model(), config, cpu_s=60)
    score = both.score(generator())
    found = both.disagreement(generator())
    assert score.score < 1 and found.failing.startswith("(jump")
    assert Lift().executable(found.walk).steps == len(found.walk) - 1
    assert found.state == Lift().describe(found.executed)
    assert 0 < both.world_queries <= 2 * most_queries(config)


def test_the_look_for_a_disagreement_asks_nothing_new_after_the_walks_of_the_score():
    both = Unlisted(Lift(), model(), EWConfig(20, 5, estimator="prefix"), cpu_s=60)
    both.score(generator())
    before = both.world_queries
    both.disagreement(generator())
    # The score's walks stop at a refusal, and so do these: they are the same.
    assert both.world_queries == before


def test_where_survival_cannot_count_prefix_gives_the_score(monkeypatch):
    config = EWConfig(20, 5, estimator="survival")
    by_name = Unlisted(Lift(), model(), EWConfig(20, 5, estimator="prefix"), cpu_s=60).score(generator())
    monkeypatch.setattr(LiftedSystem, "count", lambda self, state: None)
    both = Unlisted(Lift(), model(), config, cpu_s=60)
    found = both.score(generator())
    assert found.forward == by_name.forward == 1.0 and found.score < 0.1
    assert both.disagreement(generator()) is not None and both.world_queries <= 3 * most_queries(config)


def test_a_right_model_has_no_disagreement():
    both = Unlisted(Lift(), read_problem(PROBLEM, read_domain(DOMAIN)), EWConfig(20, 5), cpu_s=60)
    assert both.score(generator()).score == 1.0 and both.disagreement(generator()) is None


def test_a_disagreement_is_cut_down_with_its_own_operators_alone():
    forgetful = DOMAIN.replace("(not (at ?from)) (at ?to)", "(at ?to)")
    both = Unlisted(
        Lift(), read_problem(PROBLEM, read_domain(forgetful)), EWConfig(20, 5, estimator="prefix"), 60
    )
    found = both.disagreement(generator())
    short = shrink(Lift(), both.only(found.walk), found)
    assert short.minimal and len(short.disagreement.walk) == 2


def test_named_operators_run_as_in_the_compiled_task():
    problem = read_problem(PROBLEM, read_domain(DOMAIN))
    task = compile_task(problem)
    named = NamedOperators(LiftedSystem(problem), (*task.operators, "(fly f0 f1)"))
    walks = sample_walks(task, [6] * 8, generator())
    index = {text: i for i, text in enumerate(named.operators)}
    rows = np.array([[index[text] for text in walks.words(r, task)] for r in range(8)])
    assert run_walks(named, rows).tolist() == [6] * 8
    assert run_walks(named, np.array([[index["(fly f0 f1)"]]])).tolist() == [0]


def test_after_its_deadline_a_model_is_not_asked():
    both = Unlisted(Lift(), model(), EWConfig(20, 5), cpu_s=-1.0)
    with pytest.raises(OutOfTime, match="more than -1 s"):
        both.score(generator())


def test_conditions_too_long_for_one_question_are_refused_at_once():
    condition = "(forall (?a ?b ?c ?d ?e - floor) (at ?a))"
    long = f"(:action long :parameters (?from ?to - floor) :precondition {condition}"
    problem = model("(:action down", f"{long} :effect (at ?to))\n (:action down")
    with pytest.raises(TooLong, match="`long` has 1025 literals"):
        Unlisted(Lift(), problem, EWConfig(20, 5), cpu_s=60)


@pytest.mark.parametrize("error", [OutOfTime(2.5), TooLong("pick", 5000), TooManyAtoms(90, 20)])
def test_reasons_survive_pickling(error):
    assert str(pickle.loads(pickle.dumps(error))) == str(error)  # noqa: S301 (our own bytes)
