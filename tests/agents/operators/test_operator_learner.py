"""Learning with arguments known: laws over worlds, and small cases of what traces leave open."""

from dataclasses import replace

import pytest
from explored import explored, shuffled
from wide import wide

from agents.operators.learner import MAX_LISTED, Bias, learn_operators
from agents.operators.lifted import NamedLiteral, domain_of, shown_problem
from agents.operators.matching import violations
from envs.pddl.language.domain import read_domain, read_problem, read_vocabulary
from envs.pddl.simulation.compile import compile_task
from envs.pddl.traces.trace import SeenState, Step, TraceError, Traces, trace_of
from envs.world import open_world

WORLDS = ("blocksworld", "grippers", "termes", "driverlog", "hiking")
WORDS = read_vocabulary(
    """(define (domain lamps) (:requirements :typing) (:types lamp)
    (:predicates (lit ?l - lamp) (broken ?l - lamp) (plugged ?l - lamp) (dark))
    (:action switch :parameters (?l - lamp) :precondition () :effect ())
    (:action swap :parameters (?a ?b - lamp) :precondition () :effect ()))"""
)
LAMPS = {"a": "lamp", "b": "lamp", "c": "lamp"}


def facts(text):
    return SeenState(frozenset(tuple(part.split()) for part in text.split(",") if part.strip()))


def traced(*steps):
    """Each step as (operator, state before, state after or None if it is refused)."""
    states, made = [], []
    for operator, before, after in steps:
        states.append(facts(before) if isinstance(before, str) else before)
        runs = after is not None
        made.append(Step(operator, runs, len(states) - 1, len(states) if runs else None))
        if runs:
            states.append(facts(after) if isinstance(after, str) else after)
    return Traces(WORDS, (trace_of("t", LAMPS, states, made),))


def learned(*steps, bias=Bias.PLAIN):
    (operator,) = learn_operators(traced(*steps), bias)
    return operator


@pytest.mark.parametrize(
    ("world", "observed"),
    wide(
        [(world, observed) for world in WORLDS for observed in (1.0, 0.6)],
        *((world, observed) for world in WORLDS for observed in (1.0, 0.6) if world != "hiking"),
    ),
)
def test_the_traces_that_were_learned_from_are_satisfied(world, observed):
    traces = explored(world, observed)
    for bias in (Bias.LEAN, Bias.SAFE, Bias.PLAIN):
        operators = learn_operators(traces, bias)
        assert not any(o.unexplained for o in operators) and len(operators) >= 3
        wrong = list(violations(operators, traces))
        if observed < 1:  # what was never seen may be why something is refused
            wrong = [text for text in wrong if "refuses" not in text]
        assert wrong == []


@pytest.mark.parametrize("world", ["grippers", "driverlog"])
def test_order_and_division_into_traces_change_nothing(world):
    traces = explored(world, refusals=1, walks=6)
    expected = learn_operators(traces)
    assert all(learn_operators(shuffled(traces, seed)) == expected for seed in range(2))


@pytest.mark.parametrize("world", WORLDS)
def test_safe_operators_run_only_where_the_world_runs_them(world):
    """In the world's own states: what the learned model allows, the world allows, with the same outcome."""
    traces = explored(world)
    there = open_world(world, 1)
    domain = read_domain(domain_of(traces.vocabulary, learn_operators(traces, Bias.SAFE), "learned"))
    model = compile_task(read_problem(shown_problem(there, "learned"), domain))
    state, walk = model.initial(1), ()
    for number in range(8):
        runs = [o for o, ok in zip(model.operators, model.applicable(state)[0], strict=True) if ok]
        assert runs and set(runs) <= set(there.applicable(walk))
        walk = (*walk, runs[(7 * number) % len(runs)])
        state = model.successors(state, [model.operator_index[walk[-1]]])
        assert model.atoms_of(state) == there.facts(walk)


def test_more_examples_only_ever_weaken_safe_preconditions():
    few, many = (learn_operators(explored("termes", walks=n), Bias.SAFE) for n in (3, 12))
    weaker = {o.name: set(o.preconditions) for o in many}
    assert all(weaker[o.name] <= set(o.preconditions) for o in few)


def test_what_changed_is_an_effect_and_what_held_always_is_needed():
    operator = learned(
        ("(switch a)", "plugged a, dark", "plugged a, lit a, dark"),
        ("(switch b)", "plugged b, lit c", "plugged b, lit b, lit c"),
    )
    assert operator.effects == (NamedLiteral("lit", ("?l",)),)
    assert set(operator.preconditions) == {
        NamedLiteral("plugged", ("?l",)),
        NamedLiteral("lit", ("?l",), False),
    }
    assert operator.executed == 2 and not operator.proven and not operator.unexplained


def test_a_refusal_proves_the_only_literal_that_can_be_why():
    ran = ("(switch a)", "plugged a, dark", "plugged a, lit a, dark")
    operator = learned(ran, ("(switch b)", "dark", None))
    assert operator.proven == (NamedLiteral("plugged", ("?l",)),)
    assert NamedLiteral("dark", ()) in operator.undetermined
    smallest = learned(ran, ("(switch b)", "dark", None), bias=Bias.SMALLEST)
    assert smallest.preconditions == (NamedLiteral("plugged", ("?l",)),)


def test_what_was_never_false_is_needed_by_the_safe_bias_alone():
    ran = ("(switch a)", "plugged a, dark", "plugged a, lit a, dark")
    dark = NamedLiteral("dark", ())
    others = (Bias.SAFE, Bias.PLAIN, Bias.SMALLEST)
    assert [dark in learned(ran, bias=bias).preconditions for bias in others] == [True, False, False]
    otherwise = ("(break a)", "lit a", "broken a")  # another action's state will do
    assert dark in learned(ran, otherwise).preconditions


def test_refusals_ask_for_what_a_bias_leaves_out():
    ran = [(f"(swap {x} {y})", "dark", "dark, lit a") for x, y in ("ab", "ba")]
    operator = learned(*ran, ("(swap a a)", "dark", None), bias=Bias.SMALLEST)
    assert NamedLiteral("=", ("?a", "?b"), False) in operator.preconditions


def test_a_refusal_that_nothing_explains_is_told():
    ran = ("(switch a)", "plugged a", "plugged a, lit a")
    other = ("(switch b)", "plugged b, plugged a, dark", "plugged b, plugged a, lit b, dark")
    operator = learned(ran, other, ("(switch c)", "plugged c, plugged a", None))
    assert any("(switch c) was refused" in text for text in operator.unexplained)


def test_conditional_effects_are_told_and_not_guessed():
    operator = learned(
        ("(switch a)", "plugged a", "plugged a, lit a"),
        ("(switch b)", "broken b", "broken b"),
        ("(switch c)", "plugged a", "plugged a, lit a"),
    )
    assert operator.effects == () and any("made (lit a) true" in text for text in operator.unexplained)


@pytest.mark.parametrize("changed", [1, MAX_LISTED, MAX_LISTED + 1, MAX_LISTED + 3])
def test_of_equal_changes_that_nothing_explains_as_many_as_may_be_are_listed(changed):
    lit = [("(switch b)", "plugged a", "plugged a, lit a")] * changed
    operator = learned(*lit, ("(switch b)", "broken b", "broken b"))
    assert len(operator.unexplained) == min(changed, MAX_LISTED)


def test_equal_arguments_leave_open_whose_effect_it_is_until_an_example_tells():
    both = [NamedLiteral("lit", ("?a",)), NamedLiteral("lit", ("?b",))]
    same = ("(swap a a)", "dark", "dark, lit a")
    assert list(learned(same).effects) == both and list(learned(same).undetermined_effects) == both
    told = learned(same, ("(swap a b)", "dark", "dark, lit b"))
    assert told.effects == (both[1],) and told.undetermined_effects == ()


def test_what_is_deleted_and_added_stays_true():
    operator = learned(("(swap a b)", "lit a", "lit b"), ("(swap c c)", "lit c", "lit c"))
    assert set(operator.effects) == {NamedLiteral("lit", ("?a",), False), NamedLiteral("lit", ("?b",))}


def test_partial_states_leave_open_what_they_hide():
    hidden = SeenState(frozenset({("plugged", "a")}), frozenset())
    after = SeenState(frozenset({("lit", "a")}), frozenset())
    operator = learned(("(switch a)", hidden, after))
    assert operator.preconditions == (NamedLiteral("plugged", ("?l",)),) and operator.effects == ()
    assert NamedLiteral("lit", ("?l",)) in operator.undetermined_effects


def test_contradicting_traces_are_refused_unless_the_rest_is_asked_for():
    traces = traced(
        ("(switch a)", "dark", "dark, lit a"), ("(switch a)", "dark", None), ("(switch b)", "dark", "lit b")
    )
    with pytest.raises(TraceError, match="executed and refused"):
        learn_operators(traces)
    (operator,) = learn_operators(traces, lenient=True)
    assert operator.executed == 1 and operator.refused == 0


def test_an_action_seen_by_name_alone_is_not_learned_with_arguments():
    traces = traced(("(switch)", "dark", "lit a"))
    assert learn_operators(traces) == ()


def test_the_law_sees_a_wrong_operator():
    traces = explored("grippers")
    operators = learn_operators(traces)
    for place, operator in enumerate(operators):
        others = [o for i, o in enumerate(operators) if i != place]
        assert list(violations([*others, replace(operator, effects=operator.effects[1:])], traces))
        assert list(violations([*others, replace(operator, preconditions=())], traces))
        stricter = operator.preconditions[0].negated
        assert list(violations([*others, replace(operator, preconditions=(stricter,))], traces))
