"""Learning by name alone: laws over worlds, and what it finds and what it cannot."""

from dataclasses import replace

import pytest
from explored import explored, shuffled

from agents.operators.lifted import NamedLiteral
from agents.operators.matching import violations
from agents.operators.reading import operators_of
from agents.operators.symbolic import learn_symbolically
from envs.pddl.language.domain import read_vocabulary
from envs.pddl.traces.trace import SeenState, Step, Traces, trace_of
from experiments.studies.operators.demonstrations import demonstrations, minecraft, traces_of

WORDS = read_vocabulary(
    """(define (domain shop) (:requirements :typing) (:types thing slot tool - object)
    (:constants wood - tool)
    (:predicates (holds ?s - slot ?x - thing) (empty ?s - slot) (is ?x - thing ?t - tool) (sharp ?t - tool))
    (:action take :parameters (?x - thing) :precondition () :effect ())
    (:action drop :parameters () :precondition () :effect ()))"""
)


def renamed(atom, names):
    return (atom[0], *(names.get(n, n) for n in atom[1:]))


def traces(*steps, names=None):
    names, made = names or {}, []
    for number, (operator, before, after) in enumerate(steps):
        states = [
            SeenState(frozenset(renamed(tuple(p.split()), names) for p in text.split(",") if p.strip()))
            for text in (before, after)
        ]
        kinds = {"s": "slot", "t": "slot", "x": "thing", "y": "thing", "axe": "tool"}
        objects = {names.get(n, n): k for n, k in kinds.items()} | {"wood": "tool"}
        made.append(trace_of(str(number), objects, states, [Step(operator, True, 0, 1)]))
    return Traces(WORDS, tuple(made))


TAKE = ("(take)", "empty s, empty t, is x wood, sharp axe", "empty t, holds s x, is x wood, sharp axe")
OTHER = ("(take)", "empty s, empty t, is y wood, sharp axe", "empty s, holds t y, is y wood, sharp axe")
BOTH = ("(drop)", "holds s x, holds t y, is x wood", "empty s, empty t, is x wood")
SWAPPED = ("(drop)", "holds s x, holds t y, is y wood", "empty s, empty t, is y wood")


@pytest.mark.parametrize("world", ["blocksworld", "grippers", "driverlog"])
def test_the_steps_that_were_learned_from_are_explained_in_any_order(world):
    found = explored(world, walks=6, refusals=0)
    operators = learn_symbolically(found)
    assert list(violations(operators, found)) == []
    assert all(learn_symbolically(shuffled(found, seed)) == operators for seed in range(2))


def test_objects_of_the_effects_become_variables_and_constants_stay():
    (operator,) = learn_symbolically(traces(TAKE, OTHER))
    kinds = dict(operator.parameters)
    assert sorted(kinds.values()) == ["slot", "thing"] and operator.executed == 2
    (slot,), (thing,) = ([v for v, k in kinds.items() if k == kind] for kind in ("slot", "thing"))
    assert set(operator.preconditions) == {
        NamedLiteral("empty", (slot,)),
        NamedLiteral("is", (thing, "wood")),
    }
    assert set(operator.effects) == {
        NamedLiteral("empty", (slot,), False),
        NamedLiteral("holds", (slot, thing)),
    }


def test_what_it_needs_of_other_objects_is_not_found():
    (operator,) = learn_symbolically(traces(TAKE))
    assert all(literal.predicate != "sharp" for literal in operator.preconditions)


def test_alike_effects_are_laid_over_each_other_as_the_states_fit_best():
    (operator,) = learn_symbolically(traces(BOTH, SWAPPED))
    assert len(operator.parameters) == 4 and operator.executed == 2
    assert [p for p in operator.preconditions if p.predicate == "is"], "one of the two things was of wood"
    assert learn_symbolically(traces(SWAPPED, BOTH)) == (operator,)


def test_the_names_of_objects_mean_nothing():
    other = {"s": "z9", "t": "a0", "x": "m", "y": "b"}
    steps = (TAKE, OTHER, BOTH, SWAPPED)
    assert learn_symbolically(traces(*steps)) == learn_symbolically(traces(*steps, names=other))


def test_an_action_with_two_kinds_of_effects_has_two_operators():
    found = learn_symbolically(traces(TAKE, OTHER, ("(take)", "sharp axe", "")))
    assert [(o.name, o.action, o.executed) for o in found] == [("take", "take", 2), ("take--2", "take", 1)]


def test_steps_that_change_nothing_or_are_seen_in_part_are_passed_over():
    assert learn_symbolically(traces(("(take)", "empty s", "empty s"))) == ()
    states = [SeenState(frozenset(), frozenset()), SeenState(frozenset({("empty", "s")}))]
    part = trace_of("p", {"s": "slot"}, states, [Step("(take)", True, 0, 1)])
    assert learn_symbolically(Traces(WORDS, (part,))) == ()


def test_the_law_holds_for_true_rules_though_no_step_names_its_arguments():
    """Also where an argument, such as a station, is none of the objects that change."""
    rules = list(operators_of(minecraft()))
    made = [d for d in demonstrations() if d.plan is not None][:3]
    found = traces_of(made)
    bare = [
        replace(t, steps=tuple(replace(s, operator=f"({s.action})") for s in t.steps)) for t in found.traces
    ]
    assert any(step.action.startswith("craft") for trace in bare for step in trace.steps)
    assert list(violations(rules, replace(found, traces=tuple(bare)))) == []
    wrong = [replace(o, effects=o.effects[1:]) if o.name == "pick-up" else o for o in rules]
    told = list(violations(wrong, replace(found, traces=tuple(bare))))
    assert told and all("pick-up" in text for text in told)
