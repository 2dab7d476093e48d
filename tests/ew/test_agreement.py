"""Where world and model agree, action by action, and planted mistakes as the first explanation."""

import numpy as np
import pytest
from test_any_world import DOMAIN, PROBLEM, Lift
from wide import wide

from envs.pddl.language.domain import read_domain, read_problem
from envs.source import read_texts
from envs.world import open_world
from ew.counterexample.agreement import AgreementConfig, agreement
from ew.counterexample.explanations import Change

#: A mistake in grippers, as a replacement in its text, and the change that would mend it.
MISTAKES = {
    "a precondition is missing": (
        " (free ?r ?g))\n",
        ")\n",
        (Change.ADD_PRECONDITION, "pick", "(free ?r ?g)"),
    ),
    "a precondition is too much": (
        "(and (carry ?r ?obj ?g) (at-robby ?r ?room))",
        "(and (carry ?r ?obj ?g) (at-robby ?r ?room) (free ?r ?g))",
        (Change.DROP_PRECONDITION, "drop", "(free ?r ?g)"),
    ),
    "an effect is missing": (
        "(at ?obj ?room) (free ?r ?g) (not (carry",
        "(at ?obj ?room) (not (carry",
        (Change.ADD_EFFECT, "drop", "(free ?r ?g)"),
    ),
    "a delete effect is missing": (
        "(and (at-robby ?r ?to) (not (at-robby ?r ?from)))",
        "(at-robby ?r ?to)",
        (Change.ADD_EFFECT, "move", "(not (at-robby ?r ?from))"),
    ),
}


def of_grippers(old="", new="", seed=0, **config):
    texts = read_texts("grippers", 1)
    assert old in texts.domain
    model = read_problem(texts.problem, read_domain(texts.domain.replace(old, new, 1)))
    return agreement(
        open_world("grippers", 1),
        model,
        np.random.default_rng(seed),
        AgreementConfig(**{"walks": 5, **config}),
    )


@pytest.mark.parametrize("seed", wide([0, 1], 0))
@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_change_that_mends_a_mistake_is_the_first_explanation(mistake, seed):
    old, new, mend = MISTAKES[mistake]
    found = of_grippers(old, new, seed)
    first = found.explanations[0]
    assert (first.change, first.action, first.literal) == mend
    assert first.explains > first.contradicts


def test_a_right_model_agrees_everywhere_and_needs_no_explanation():
    found = of_grippers()
    assert [s.agreement for s in found.schemas if s.both] == [1.0] * sum(s.both > 0 for s in found.schemas)
    assert all(s.only_world == s.only_model == s.probes_run == 0 for s in found.schemas)
    assert sum(s.probes for s in found.schemas) > 0
    assert found.explanations == ()
    assert found.goal.only_world == found.goal.only_model == 0


def test_only_the_wrong_action_disagrees_with_a_precondition_missing():
    by_name = {s.action: s for s in of_grippers(*MISTAKES["a precondition is missing"][:2]).schemas}
    assert by_name["pick"].only_model > 0 and by_name["pick"].agreement < 1
    assert by_name["move"].agreement == 1.0


def test_every_visited_state_is_asked_for_operators_and_goal():
    found = of_grippers()
    goal = found.goal
    assert goal.both + goal.only_world + goal.only_model + goal.neither == found.states
    assert found.world_queries == 2 * found.states


def test_negative_probes_find_an_action_that_the_model_always_refuses():
    never = "(and (at-robby ?r ?from) (not (at-robby ?r ?from)))"
    found = of_grippers(":precondition (at-robby ?r ?from)", f":precondition {never}")
    move = next(s for s in found.schemas if s.action == "move")
    assert move.both == 0 and move.only_world > 0 and move.probes_run > 0


def test_a_goal_that_only_the_model_sees_is_told():
    model = read_problem(PROBLEM.replace("(:goal (at f3))", "(:goal (at f0))"), read_domain(DOMAIN))
    goal = agreement(Lift(), model, np.random.default_rng(0), AgreementConfig(walks=4)).goal
    assert goal.only_model >= 4 and goal.both == 0


def test_a_model_with_too_many_operators_is_compared_by_draws():
    domain = DOMAIN.replace(
        "(:action down",
        "(:action jump :parameters (?a ?b ?c ?d ?e ?f ?g ?h - floor) :effect (not (at ?b)))\n (:action down",
    )
    model, few = read_problem(PROBLEM, read_domain(domain)), AgreementConfig(walks=3, t_max=4, draws=10)
    found = agreement(Lift(), model, np.random.default_rng(0), few)
    jump = next(s for s in found.schemas if s.action == "jump")
    assert jump.both == 0 and jump.only_model > 0


def test_the_seed_decides_what_is_seen():
    one, again, other = (of_grippers(seed=seed, walks=2) for seed in (3, 3, 4))
    assert one == again and one != other
