"""States by force are those of the compiled simulator, and of the slow one that shares nothing with it."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from walked_worlds import Walked, broken, walked, with_domain
from wide import wide

from agents.repair import examples
from agents.repair.examples import Tables, progress
from agents.repair.forest import forest
from agents.repair.model import Model
from envs.pddl.language.domain import Problem
from envs.pddl.language.operators import parse_operator
from envs.pddl.language.terms import Part, tree_of
from envs.pddl.simulation.lifted import TRUE
from envs.pddl.simulation.reference import ReferenceSimulator
from envs.registry import WORLDS

every_world = pytest.mark.parametrize(
    "world", wide(WORLDS, *(name for name in WORLDS if name != "minecraft"))
)


def tables_of(model: Model, walks, only=None, others=None) -> Tables:
    """The tables of the predicates in `only` (all if absent)."""
    declared = model.domain.vocabulary.predicates
    return progress(
        walks,
        {s.name: (s,) for s in model.tasks[0].schemas},
        {s.name: s.effects for s in model.tasks[0].schemas},
        [{p: [number(row, model.base) for row in rows] for p, rows in model.tasks[0].init.items()}],
        {p: model.base ** len(parameters) for p, parameters in declared.items()},
        model.base,
        declared if only is None else only,
        others or {},
    )


def number(row, base: int) -> int:
    key = 0
    for digit in row:
        key = key * base + digit
    return key


def atoms_at(model: Model, tables: Tables, node: int) -> frozenset[tuple[str, ...]]:
    """The atoms that hold in a row of the tables."""
    objects = model.objects
    found = set()
    for predicate, parameters in model.domain.vocabulary.predicates.items():
        arguments = list(product(objects, repeat=len(parameters)))
        found |= {(predicate, *arguments[i]) for i in np.flatnonzero(tables[predicate][node])}
    return frozenset(found)


def without_preconditions(problem: Problem) -> Problem:
    """The problem in a domain whose actions may always run."""
    tree = tree_of(problem.domain)
    for action in tree.actions:
        tree = tree.replaced(action, Part.PRECONDITION, ("and",))
    return with_domain(problem, tree.render())


def checked_nodes(found: Walked, count: int = 25) -> list[int]:
    nodes = len(found.seen.parents)
    return sorted({*range(0, nodes, max(1, nodes // count)), nodes - 1})


@every_world
def test_states_by_force_of_the_truth_are_those_of_the_compiled_simulator(world: str) -> None:
    found, model = walked(world), Model.of(walked(world).problem)
    tables = tables_of(model, found.examples(found.problem).walks)
    states = [found.task.initial(1)]
    for parent, operator in zip(found.seen.parents[1:], found.seen.operators[1:], strict=True):
        states.append(found.task.successors(states[parent], np.array([operator])))
    for node in checked_nodes(found):
        assert atoms_at(model, tables, node) == found.task.atoms_of(states[node])


@pytest.mark.parametrize("world", ["blocksworld", "dimhollow", "grippers", "movie", "urnsong"])
@pytest.mark.parametrize("faults", [0, 3])
def test_states_by_force_are_those_of_the_same_model_without_preconditions(world: str, faults: int) -> None:
    found = walked(world, walks=4)
    problem = broken(found.problem, faults, seed=7)[0]
    model, slow = Model.of(problem), ReferenceSimulator(without_preconditions(problem))
    tables = tables_of(model, found.examples(problem).walks)
    for node in checked_nodes(found, 12):
        state = slow.initial()
        for operator in found.walk_to(node):
            state = slow.successor(state, operator)
        assert atoms_at(model, tables, node) == state


@pytest.mark.parametrize("world", ["grippers", "dimhollow", "urnsong"])
def test_the_order_of_the_nodes_changes_no_state(world: str) -> None:
    found, rng = walked(world), np.random.default_rng(11)
    model, seen = Model.of(found.problem), found.seen
    parsed = numbered_operators(model, found.task.operators)
    usual = tables_of(model, forest([(seen, parsed)]))
    order = parents_first(seen.parents, rng)  # order[i] is the node that becomes node i
    place = np.argsort(order)
    parents = np.array([-1, *place[seen.parents[order[1:]]]])
    shuffled = tables_of(
        model, forest([(replace(seen, parents=parents, operators=seen.operators[order]), parsed)])
    )
    for predicate, table in usual.items():
        assert np.array_equal(table[order], shuffled[predicate])


def numbered_operators(model: Model, operators: tuple[str, ...]) -> list[tuple[str, tuple[int, ...]]]:
    numbers = {name: i for i, name in enumerate(model.objects)}
    words = [parse_operator(text) for text in operators]
    return [(name, tuple(numbers[a] for a in arguments)) for name, arguments in words]


def parents_first(parents, rng) -> np.ndarray:
    """A random order of the nodes in which parents come before their children."""
    order, open_ = [], [0]
    while open_:
        order.append(open_.pop(int(rng.integers(len(open_)))))
        open_ += np.flatnonzero(parents == order[-1]).tolist()
    return np.array(order)


@pytest.mark.parametrize("world", ["grippers", "dimhollow"])
@pytest.mark.parametrize("copied", [examples.MAX_COPIED, -1], ids=["narrow", "wide"])
def test_a_predicate_alone_has_the_table_that_it_has_among_all(world: str, copied: int, monkeypatch) -> None:
    monkeypatch.setattr(examples, "MAX_COPIED", copied)
    found = walked(world)
    model, walks = Model.of(found.problem), found.examples(found.problem).walks
    together = tables_of(model, walks)
    for predicate, table in together.items():
        others = {p: t for p, t in together.items() if p != predicate}
        assert np.array_equal(tables_of(model, walks, [predicate], others)[predicate], table)


def test_without_conditions_an_effect_changes_the_table_of_its_predicate_alone() -> None:
    found = walked("grippers")
    walks = found.examples(found.problem).walks
    assert all(e.condition == TRUE for s in Model.of(found.problem).tasks[0].schemas for e in s.effects)
    usual = tables_of(Model.of(found.problem), walks)
    for seed in range(6):
        problem, (term,) = broken(found.problem, 1, seed)
        changed = tables_of(Model.of(problem), walks)
        predicate = term.literal[1][0] if term.literal[0] == "not" else term.literal[0]
        same = {p for p, table in usual.items() if np.array_equal(table, changed[p])}
        assert same >= usual.keys() - ({predicate} if term.part is Part.EFFECT else set())


def test_rows_are_the_same_copied_whole_and_by_the_columns_of_true_atoms(monkeypatch) -> None:
    for world in ("miconic", "grippers", "urnsong"):
        found, model = walked(world), Model.of(walked(world).problem)
        walks = found.examples(found.problem).walks
        whole = tables_of(model, walks)
        monkeypatch.setattr(examples, "MAX_COPIED", -1)
        by_columns = tables_of(model, walks)
        monkeypatch.undo()
        assert whole.keys() == by_columns.keys()
        assert all((by_columns[name] == table).all() for name, table in whole.items())
