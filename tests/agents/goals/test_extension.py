"""Plan extension: what matches is what a plain search over preconditions finds, within the bounds."""

import numpy as np
from kitchen import OBJECTS, OPERATORS, WORDS, observed

from agents.goals.extension import Bounds, extend, texts_of
from agents.goals.parsing import after, ground_plan, parse
from agents.operators.lifted import EQUAL, is_variable
from agents.operators.reading import operators_of
from envs.pddl.language.operators import parse_operator
from experiments.studies.operators.demonstrations import demonstrated, demonstrations, minecraft

TRUTH = tuple(operators_of(minecraft()))
ALL = Bounds(rounds=1, width=10_000)


def of_the_kitchen(*plan, bounds=None, operators=OPERATORS):
    seen = observed(*plan)
    return extend(seen.graph, operators, OBJECTS, WORDS, seen.reached, bounds)


def prefix(number):
    demonstration = [d for d in demonstrations() if d.plan is not None][number]
    problem = demonstrated(demonstration.kind, demonstration.number)
    plan = demonstration.plan[: len(demonstration.plan) * 2 // 3]
    steps = ground_plan(TRUTH, plan)
    return parse(steps), problem, after(steps, problem.init)


def fits(need, effect, operator, objects, types):
    kinds = dict(operator.parameters)
    if (need.predicate, need.positive) != (effect.predicate, effect.positive):
        return False
    return all(
        types.is_subtype(objects[b], kinds[a]) or types.is_subtype(kinds[a], objects[b]) if is_variable(a)
        else a == b
        for a, b in zip(need.terms, effect.terms, strict=True)
    )  # fmt: skip


def test_the_first_round_has_every_operator_that_needs_something_of_a_hanging_step():
    for number in (3, 40, 90):
        graph, problem, facts = prefix(number)
        types = minecraft().vocabulary.types
        effects = [e for i in graph.hanging for e in graph.steps[i].effects]
        expected = {
            o.name
            for o in TRUTH
            if any(
                fits(p, e, o, problem.objects, types)
                for p in o.preconditions if p.predicate != EQUAL
                for e in effects
            )
        }  # fmt: skip
        (found,) = extend(graph, TRUTH, problem.objects, minecraft().vocabulary, facts, ALL)
        assert {e.operator.name for e in found} == expected
        assert all(set(e.uses) for e in found)
        order = [(e.denied, -e.weight) for e in found]
        assert order == sorted(order) and max(weight for _, weight in order) < 0


def test_arguments_are_objects_of_the_plan_or_stay_open():
    graph, problem, facts = prefix(20)
    for extensions in extend(graph, TRUTH, problem.objects, minecraft().vocabulary, facts):
        for extension in extensions:
            name, arguments = parse_operator(extension.text)
            assert name == extension.operator.name
            for argument, (variable, _) in zip(arguments, extension.operator.parameters, strict=True):
                assert argument == variable or argument in problem.objects


def test_rounds_and_width_are_bounded_and_the_order_of_operators_changes_nothing():
    graph, problem, facts = prefix(60)
    vocabulary = minecraft().vocabulary
    rounds = extend(graph, TRUTH, problem.objects, vocabulary, facts, Bounds(4, 5))
    assert len(rounds) == 4 and all(len(found) <= 5 for found in rounds)
    (first,) = extend(graph, TRUTH, problem.objects, vocabulary, facts, Bounds(1, None))
    assert first[:5] == rounds[0] and len(first) > 5
    mixed = [TRUTH[i] for i in np.random.default_rng(2).permutation(len(TRUTH)).tolist()]
    assert list(texts_of(extend(graph, mixed, problem.objects, vocabulary, facts, Bounds(4, 5)))) == list(
        texts_of(rounds)
    )


def test_what_few_operators_need_comes_first():
    first, second = of_the_kitchen("(take pot)", "(wash pot)", bounds=Bounds(2, 6))
    assert [e.text for e in first] == ["(cook ?f pot)"] and second == ()
    assert of_the_kitchen("(take kale)", bounds=Bounds(1, 1))[0][0].operator.name in ("toss", "drop")


def test_effects_with_open_parameters_are_matched_in_the_next_round():
    rounds = of_the_kitchen("(drop kale)", bounds=Bounds(2, 6))
    assert [e.text for e in rounds[0]] == ["(take kale)", "(take ?x)"][: len(rounds[0])]
    assert {e.operator.name for e in rounds[1]} >= {"drop", "toss"}


def test_a_plan_without_steps_has_no_extensions():
    assert of_the_kitchen() == ((), (), ())


def test_what_the_state_denies_comes_last_and_so_does_all_that_builds_on_it():
    graph, problem, facts = prefix(40)
    rounds = extend(graph, TRUTH, problem.objects, minecraft().vocabulary, facts, Bounds(3, 10_000))
    for found in rounds:
        for extension in found:
            bound = dict(zip((v for v, _ in extension.operator.parameters), extension.arguments, strict=True))
            asked = {p.renamed(bound) for p in extension.operator.preconditions} - set(extension.uses)
            kinds = [p for p in asked if p.predicate == "object-of-type" and p.terms[0] in problem.objects]
            assert extension.denied >= sum(not kind.holds({}, facts) for kind in kinds)
    assert any(e.denied == 0 for e in rounds[0]) and any(e.denied for e in rounds[0])
    assert [e.denied for e in rounds[1]] == sorted(e.denied for e in rounds[1])
