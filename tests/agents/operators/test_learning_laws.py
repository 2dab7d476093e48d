"""Laws of the parts of learning: coverings, namings, bindings, atoms; against the obvious version."""

from itertools import pairwise, permutations, product
from math import perm

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.llm.interface import Completion, Usage
from agents.llm.scripted import ScriptedModel
from agents.operators import examples, guided, symbolic
from agents.operators.examples import examples_of, greedy_cover, lifted_atoms
from agents.operators.guided import complete
from agents.operators.learner import learn_operators
from agents.operators.lifted import NamedLiteral, Operator
from agents.operators.matching import violations
from agents.operators.symbolic import learn_symbolically
from envs.pddl.language.domain import read_vocabulary
from envs.pddl.traces.trace import SeenState, Step, Traces, trace_of

BOXES = read_vocabulary(
    """(define (domain boxes) (:requirements :typing) (:types big small - box)
    (:constants c1 c2 - box)
    (:predicates (next ?x ?y - box) (open ?x - box))
    (:action link :parameters () :precondition () :effect ())
    (:action lift :parameters (?x - box) :precondition () :effect ()))"""
)


def states(*texts):
    return [SeenState(frozenset(tuple(p.split()) for p in t.split(",") if p.strip())) for t in texts]


def traced(objects, before, after, operator="(link)"):
    step = Step(operator, True, 0, 1)
    return Traces(BOXES, (trace_of("t", objects, [before, after], [step]),))


tables = st.integers(0, 5).flatmap(
    lambda width: st.lists(st.lists(st.booleans(), min_size=width, max_size=width), min_size=1, max_size=6)
)


@given(tables)
def test_a_cover_covers_all_it_can_and_each_column_more_than_nothing_and_no_less_than_a_later_one(table):
    covers = np.array(table, dtype=np.bool_)
    chosen = greedy_cover(covers)
    assert (covers[:, chosen].any(axis=1) == covers.any(axis=1)).all() and len(set(chosen)) == len(chosen)
    new = [covers[:, chosen[: i + 1]].any(axis=1).sum() for i in range(len(chosen))]
    gains = np.diff([0, *new])
    assert (gains > 0).all() and (np.diff(gains) <= 0).all()
    assert not chosen or chosen[0] == covers.sum(axis=0).argmax()


@pytest.mark.parametrize("length", [2, 5, 9])
def test_objects_that_a_chain_of_effects_tells_apart_have_one_naming(length):
    """Nine boxes have 9! namings, far too many to try; a chain leaves one."""
    boxes = [f"b{i}" for i in range(length)]
    links = ", ".join(f"next {a} {b}" for a, b in pairwise(boxes))
    found = traced(
        dict.fromkeys(boxes, "big") | {"c1": "box", "c2": "box"}, *states("open c1", links + ", open c1")
    )
    (operator,) = learn_symbolically(found)
    assert len(operator.parameters) == length and len(operator.effects) == length - 1
    assert list(violations([operator], found)) == []


@pytest.mark.parametrize("spare", [0, 1, -1])
def test_atoms_with_two_constants_are_left_out_as_soon_as_there_are_too_many(spare, monkeypatch):
    parameters = (("?x", "box"),)
    every = lifted_atoms(BOXES, parameters)
    assert any(sum(not t.startswith("?") for t in a.terms) > 1 for a in every)
    monkeypatch.setattr(examples, "MAX_ATOMS", len(every) + spare)
    few = tuple(a for a in every if sum(not t.startswith("?") for t in a.terms) <= 1)
    assert lifted_atoms(BOXES, parameters) == (every if spare >= 0 else few)


@pytest.mark.parametrize("kind", ["big", "small", "box"])
@pytest.mark.parametrize("shut", ["s", "c2"])
def test_where_no_argument_is_named_objects_of_a_subtype_and_no_others_are_tried(kind, shut):
    """One effect changes nothing, so that the bindings have to be listed."""
    objects = {"s": "small", "c1": "box", "c2": "box"}
    found = traced(objects, *states(f"open c1, open {shut}", "open c1"))
    effects = (NamedLiteral("open", ("?x",), False), NamedLiteral("open", ("c1",)))
    operator = Operator("link", (("?x", kind),), (NamedLiteral("open", ("?x",)),), effects)
    explained = kind in (objects[shut], "box")
    assert (list(violations([operator], found)) == []) is explained


def injections(learned, proposed):
    """All namings of the learned variables by used ones of the same type, tried one by one."""
    used = [v for v, _ in proposed.parameters if any(v in e.terms for e in proposed.effects)]
    types = dict(proposed.parameters)
    for chosen in permutations(used, len(learned.parameters)):
        if all(kind == types[v] for (_, kind), v in zip(learned.parameters, chosen, strict=True)):
            yield dict(zip((v for v, _ in learned.parameters), chosen, strict=True))


@pytest.mark.parametrize(("ours", "theirs"), list(product(range(1, 4), range(5))))
def test_namings_are_all_that_respect_types_and_none_beyond_the_limit(ours, theirs, monkeypatch):
    learned, proposed = (
        Operator("lift", names, (), tuple(NamedLiteral("open", (v,)) for v, _ in names))
        for names in (
            tuple((f"?{c}{i}", ("big", "small")[i % 2]) for i in range(n))
            for c, n in (("a", ours), ("b", theirs))
        )
    )
    everything = list(injections(learned, proposed))
    monkeypatch.setattr(guided, "MAX_RENAMINGS", perm(theirs, ours))
    assert list(guided._namings(learned, proposed)) == everything
    monkeypatch.setattr(guided, "MAX_RENAMINGS", perm(theirs, ours) - 1)
    assert list(guided._namings(learned, proposed)) == []


def test_all_tokens_that_were_asked_for_are_counted():
    learned = Operator("lift", (("?x", "box"),), (), (NamedLiteral("open", ("?x",)),))
    counts = (Usage(10, 1), Usage(20, 2), Usage(40, 4))
    model = ScriptedModel([Completion(f"nothing {i}", usage=usage) for i, usage in enumerate(counts)])
    done = complete(model, learned, [], Traces(BOXES, ()), tries=2, seed=0)
    assert done.asked == 3 and done.usage == counts[0] + counts[1] + counts[2]


def test_what_was_hidden_before_and_is_false_afterwards_may_have_been_deleted():
    hidden = SeenState(frozenset({("open", "c1")}), frozenset())
    after = SeenState(frozenset({("open", "c1")}), frozenset({("open", "s")}))
    objects = {"s": "small", "c1": "box", "c2": "box"}
    (operator,) = learn_operators(traced(objects, hidden, after, "(lift s)"))
    assert NamedLiteral("open", ("?x",), False) in operator.undetermined_effects


def test_a_trace_without_a_single_atom_teaches_that_nothing_is_needed():
    objects = {"s": "small", "c1": "box", "c2": "box"}
    (operator,) = learn_operators(traced(objects, *states("", ""), "(lift s)"))
    assert operator.preconditions == () and operator.effects == ()


def test_atoms_with_equal_arguments_are_told_apart_by_their_predicates():
    objects = {"s": "small", "c1": "box", "c2": "box"}
    found = examples_of(traced(objects, *states("open s", "open s, open c1"), "(lift s)"), "lift")
    held = {str(atom) for atom, true in zip(found.atoms, found.before.true[0], strict=True) if true}
    assert held == {"(open ?x)"} and found.before.known.all()
    assert not found.before.true[0][[a.predicate == "next" for a in found.atoms]].any()


PAIRS = read_vocabulary(
    """(define (domain pairs) (:requirements :typing) (:types small - box)
    (:predicates (open ?x - box))
    (:action alike :parameters (?x ?y - small) :precondition () :effect ())
    (:action mixed :parameters (?x - small ?y - box) :precondition () :effect ()))"""
)


@pytest.mark.parametrize(("action", "kept"), [("alike", True), ("mixed", False)])
def test_of_what_nothing_proves_different_arguments_are_needed_between_those_of_one_type_alone(action, kept):
    before, after = states("open a", "open a, open b")
    steps = [Step(f"({action} a b)", True, 0, 1)]
    found = Traces(PAIRS, (trace_of("t", {"a": "small", "b": "small"}, [before, after], steps),))
    (operator,) = learn_operators(found)
    different = [p for p in operator.preconditions if p.predicate == "=" and not p.positive]
    assert bool(different) is kept


class Backwards(set):
    """A set that is gone through from its greatest member to its least."""

    def __iter__(self):
        return iter(sorted(super().__iter__(), reverse=True))


def test_namings_do_not_depend_on_the_order_in_which_a_set_is_gone_through(monkeypatch):
    objects = ["a", "b", "c", "d"]
    effects = [
        (True, ("next", "a", "b")),
        (False, ("next", "b", "c")),
        (True, ("open", "d")),
        (False, ("open", "a")),
    ]
    kinds = dict.fromkeys(objects, "box")
    found = symbolic._renamings(objects, effects, kinds)
    assert len(found) == 1, "each stands in the effects in a way of its own"
    monkeypatch.setattr(symbolic, "set", Backwards, raising=False)
    assert symbolic._renamings(objects, effects, kinds) == found
    monkeypatch.undo()
    other = dict(zip(objects, "wxyz", strict=True))
    moved = [(adds, (atom[0], *(other[n] for n in atom[1:]))) for adds, atom in effects[::-1]]
    renamed = symbolic._renamings([*other.values()][::-1], moved, dict.fromkeys(other.values(), "box"))
    assert renamed == [{other[name]: variable for name, variable in found[0].items()}]
