"""Goals ranked without a language model: what a plan leaves, and how rational a prefix is."""

import numpy as np
from kitchen import FACTS, OPERATORS, SOUP, observed, space

from agents.goals.ranking import (
    Prospects,
    RelaxedSteps,
    Way,
    achieved,
    infer,
    passed,
    prospects,
    rank_prefix,
    rank_whole,
)
from agents.goals.task import GoalSpace
from agents.operators.lifted import NamedLiteral


def goals(*names):
    return [frozenset(name.split()) for name in names]


def test_what_a_plan_leaves_loose_comes_before_what_it_used():
    assert list(infer(observed(*SOUP), space(), whole=True)) == goals("soup", "clean")
    both = observed(*SOUP, "(take kale)", "(toss kale)")
    assert list(infer(both, space(2), whole=True)) == goals("soup salad", "salad clean", "soup clean")


def test_what_held_before_the_plan_is_nobodys_goal():
    kinds = GoalSpace((NamedLiteral("is", ("?x", "?kind")),), "?kind", ("raw", "soup"))
    assert list(infer(observed(*SOUP), kinds, whole=True)) == goals("soup")
    assert infer(observed("(take leek)"), space(), whole=True) == ()


def test_a_goal_of_more_than_was_made_is_guessed_as_far_as_it_goes():
    assert list(infer(observed("(take pot)", "(wash pot)"), space(3), whole=True)) == goals("clean")


def test_steps_of_unknown_actions_may_have_made_what_no_known_operator_makes():
    few = tuple(operator for operator in OPERATORS if operator.name != "cook")
    assert space().beyond(few) == ("soup",) and space().beyond(OPERATORS) == ()
    assert list(infer(observed(*SOUP, operators=few), space(), whole=True)) == goals("soup", "clean")


def test_surplus_is_less_likely_wanted():
    """Two pots are washed and one is used: of both soup and a clean pot, the soup is surer."""
    seen = observed("(take pot)", "(wash pot)", "(cook leek pot)", "(wash pot)")
    graph = seen.graph
    (clean, soup) = achieved(graph, FACTS, space())
    assert (clean.wanted, clean.unsupported) == ("clean", True) and soup.unsupported
    assert rank_whole(graph, FACTS, space())[0] == frozenset({"soup"})


def test_a_prefix_tells_the_goal_that_it_leads_to():
    assert infer(observed("(take kale)"), space(), whole=False)[0] == frozenset({"salad"})
    assert infer(observed("(take pot)"), space(), whole=False)[0] == frozenset({"clean"})


def test_whoever_goes_on_did_not_want_what_was_there():
    seen = observed("(take pot)", "(wash pot)")
    assert passed(seen.graph, FACTS, space()) == {"clean"}
    assert list(infer(seen, space(), whole=False)) == goals("soup", "salad", "clean")


def test_every_goal_is_ranked_once_and_the_order_of_facts_changes_nothing():
    seen = observed("(take pot)", "(wash pot)")
    for size in (1, 2, 3):
        ranked = infer(seen, space(size), whole=False)
        assert len(set(ranked)) == len(ranked) and {len(goal) for goal in ranked} == {size}
    rng = np.random.default_rng(0)
    mixed = [sorted(FACTS)[i] for i in rng.permutation(len(FACTS)).tolist()]
    told = prospects(seen, space())
    assert rank_prefix(seen.graph, mixed, told, space()) == infer(seen, space(), whole=False)


def test_what_cannot_be_reached_comes_last():
    seen = observed("(take kale)")
    far = Way(5, frozenset())
    told = Prospects({"salad": far, "soup": Way(1, frozenset())}, {"salad": far})
    assert list(rank_prefix(seen.graph, FACTS, told, space())) == goals("salad", "clean", "soup")


def lengths(steps, facts, goal_space, old):
    return {wanted: way.length for wanted, way in steps.ways(facts, goal_space, old).items()}


def test_relaxed_plans_are_empty_where_a_goal_holds_and_have_each_step_once():
    steps = RelaxedSteps(OPERATORS, observed().steps())
    assert lengths(steps, FACTS, space(), FACTS) == {"clean": 2, "salad": 2, "soup": 3}
    made = FACTS | {("is", "leek", "soup")}
    assert lengths(steps, made, space(), FACTS)["soup"] == 0
    assert lengths(steps, made, space(), made)["soup"] == 3
    assert "soup" not in lengths(RelaxedSteps(OPERATORS[:3], []), FACTS, space(), FACTS)
    pair = GoalSpace(
        (NamedLiteral("held", ("?x",)), NamedLiteral("is", ("?x", "?k"))), "?k", ("clean", "salad")
    )
    assert lengths(steps, FACTS, pair, FACTS) == {"clean": 2, "salad": 2}


def test_a_relaxed_plan_begins_with_facts_and_reaches_its_goal_without_deletes():
    seen = observed("(take pot)")
    steps = RelaxedSteps(OPERATORS, seen.steps())
    soup = steps.ways(seen.reached, space(), FACTS)["soup"]
    assert ("held", "pot") in soup.uses <= seen.reached and soup.length == 2


def test_steps_that_the_rest_of_a_plan_does_not_build_on_speak_against_a_goal():
    """Washing the pot serves soup alone, however near a salad is."""
    seen = observed("(take pot)", "(wash pot)", "(drop pot)", "(take pot)")
    assert infer(seen, space(), whole=False)[0] == frozenset({"soup"})


def test_a_subgoal_of_several_parts_holds_of_one_and_the_same_object():
    pair = GoalSpace((NamedLiteral("held", ("?x",)), NamedLiteral("is", ("?x", "?k"))), "?k", ("clean",))
    assert pair.show("clean") == "(and (held ?x) (is ?x clean))"
    facts = {("held", "pot"), ("is", "pot", "clean"), ("held", "leek"), ("is", "kale", "clean")}
    assert pair.instances("clean", facts) == ((("held", "pot"), ("is", "pot", "clean")),)
