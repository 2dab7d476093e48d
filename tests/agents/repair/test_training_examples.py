"""Every operator in every state that was asked about is taught, or nothing is missed by leaving it out."""

from __future__ import annotations

from itertools import product
from math import prod

import numpy as np
import pytest
from walked_worlds import broken, walked, with_domain

from agents.repair import examples as examples_module
from agents.repair import operators as operators_module
from agents.repair.model import Model
from agents.repair.operators import ExampleMaker
from agents.repair.overlooked import overlooked
from agents.repair.search import Repairs
from agents.repair.session import RepairConfig, RepairSession, RepairTask
from envs.pddl.language.operators import format_operator
from envs.pddl.language.terms import Part, tree_of
from envs.world import open_world
from ew.walks.world_walks import Seen

some_worlds = pytest.mark.parametrize("world", ["blocksworld", "grippers", "termes", "dimhollow", "movie"])


@some_worlds
def test_the_examples_are_all_typed_operators_in_all_states_with_the_words_of_the_world(world: str) -> None:
    found = walked(world)
    model, taught = Model.of(found.problem), found.examples(found.problem)
    place = {int(node): row for row, node in enumerate(found.seen.asked)}
    for name, examples in taught.of.items():
        schema = model.actions[name].schemas[0]
        typed = prod(map(len, schema.members[: schema.arity]))
        assert len(examples.nodes) == typed * len(found.seen.asked)
        executed = np.zeros(len(examples.nodes), dtype=np.bool_)
        executed[examples.positive] = True
        assert set(examples.positive) | set(examples.negative) == set(range(len(examples.nodes)))
        for i in range(0, len(executed), max(1, len(executed) // 200)):
            text = format_operator(name, [model.objects[a] for a in examples.arguments[i]])
            index = found.task.operator_index.get(text)
            row = found.seen.applicable[place[int(examples.nodes[i])]]
            assert executed[i] == (index is not None and row[index])


@some_worlds
def test_what_the_world_executes_is_never_thinned_out(world: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = walked(world)
    whole = found.examples(found.problem)
    monkeypatch.setattr(examples_module, "MAX_EXAMPLES", 100)
    thin = found.examples(found.problem)
    for name, examples in thin.of.items():
        assert len(examples.positive) == len(whole.of[name].positive)
        assert executed_of(examples) == executed_of(whole.of[name])
    assert any(len(e.nodes) < len(whole.of[n].nodes) for n, e in thin.of.items())


def executed_of(examples) -> list[tuple[int, ...]]:
    nodes, rows = examples.nodes[examples.positive], examples.arguments[examples.positive]
    return [(int(n), *map(int, row)) for n, row in zip(nodes, rows, strict=True)]


@some_worlds
@pytest.mark.parametrize("seed", range(3))
def test_thinning_loses_nothing_once_no_operator_is_overlooked(
    world: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = walked(world)
    problem, _ = broken(found.problem, 3, seed)
    whole = found.repairs(problem)
    monkeypatch.setattr(examples_module, "MAX_EXAMPLES", 100)
    repairs, hard = found.repairs(problem), {}
    candidate = repairs.candidate(frozenset())
    while new := news(hard, *overlooked(repairs, candidate)):
        hard = hard | new
        repairs = found.repairs(problem, hard)
        candidate = repairs.candidate(frozenset())
    of_all = whole.candidate(frozenset())
    assert bool(candidate.unexplained) == bool(of_all.unexplained)
    assert {n: f.dropped for n, f in candidate.fits.items() if f.dropped} == {
        n: f.dropped for n, f in of_all.fits.items() if f.dropped
    }
    if not candidate.unexplained:
        assert overlooked(whole, candidate) == [{}]


def news(hard, left):
    """The overlooked operators, `left`, with those that were hard before, of actions where there are more."""
    merged = {name: rows | hard.get(name, False) for name, rows in left.items()}
    return {n: rows for n, rows in merged.items() if n not in hard or (rows & ~hard[n]).any()}


@some_worlds
def test_nothing_is_overlooked_where_nothing_was_thinned_out(world: str) -> None:
    found = walked(world)
    for seed in range(4):
        repairs = found.repairs(broken(found.problem, 2, seed)[0])
        candidate = repairs.candidate(frozenset())
        assert any(overlooked(repairs, candidate)) == bool(candidate.unexplained)


def test_of_too_many_operators_the_near_misses_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    found = walked("grippers")
    whole = found.examples(found.problem)
    monkeypatch.setattr(operators_module, "MAX_OPERATORS", 10)
    near = found.examples(found.problem)
    model = Model.of(found.problem)
    for name, examples in near.of.items():
        members = model.actions[name].schemas[0].members[: model.actions[name].schemas[0].arity]
        rows = set(map(tuple, examples.all[0].rows.tolist()))
        assert sorted(rows) == list(map(tuple, examples.all[0].rows.tolist()))
        assert executed_of(examples) == executed_of(whole.of[name])
        for row in sorted({row[1:] for row in executed_of(examples)}):
            assert all((*row[:i], o, *row[i + 1 :]) in rows for i, m in enumerate(members) for o in m)
        assert rows <= set(product(*members))
    assert Repairs(model, near).candidate(frozenset()).size == 0


def test_an_operator_far_from_all_others_is_looked_at_once_it_is_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = walked("grippers")
    model = Model.of(found.problem)
    monkeypatch.setattr(operators_module, "MAX_OPERATORS", 0)
    maker = ExampleMaker(model.tasks[0], tuple(o for o in found.task.operators if "robot2" not in o))
    far = "(pick robot2 ball1 room1 lgripper2)"
    knowing = maker.knowing(far)
    assert knowing is not maker and knowing.knowing(far) is knowing
    assert all(maker.knowing(operator) is maker for operator in maker.operators)
    few, more = (rows_of(t) for t in (maker, knowing))
    row = tuple(model.objects.index(word) for word in ("robot2", "ball1", "room1", "lgripper2"))
    assert few < more and row in more - few


def rows_of(maker: ExampleMaker) -> set[tuple[int, ...]]:
    """The operators of `pick` that are looked at, before any walk."""
    start = Seen(np.array([-1]), np.array([-1]), np.array([0]), np.zeros((1, len(maker.operators)), bool))
    return set(map(tuple, maker.tried("pick", start, 0).rows.tolist()))


def test_what_was_overlooked_stays_an_example_when_a_rule_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else two rules, each of which is wrong about what the other showed, would take turns for ever."""
    monkeypatch.setattr(examples_module, "MAX_EXAMPLES", 50)
    problem = walked("grippers").problem
    session = RepairSession(
        [RepairTask(open_world("grippers"), problem)], np.random.default_rng(0), RepairConfig(wall_s=600)
    )
    session.look()
    (tried,) = session.repairs().seen.of["pick"].all
    everything = len(tried.asked) * len(tried.rows)
    assert len(session.repairs().seen.of["pick"].nodes) < everything
    assert session.keep_hard([{"pick": np.ones(len(tried.rows), dtype=np.bool_)}])
    assert len(session.repairs().seen.of["pick"].nodes) == everything
    changed = tree_of(problem.domain).with_literal("pick", Part.PRECONDITION, ("not", ("free", "?r", "?g")))
    session.edit([with_domain(problem, changed.render())])
    assert len(session.repairs().seen.of["pick"].nodes) == everything


@pytest.mark.parametrize("seed", range(3))
def test_operators_stay_hard_when_another_one_is_looked_at(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(operators_module, "MAX_OPERATORS", 0)
    rng, found = np.random.default_rng(seed), walked("termes")
    task = Model.of(found.problem).tasks[0]
    some = sorted(rng.choice(found.task.operators, 20, replace=False).tolist())
    maker = ExampleMaker(task, some[:-1])
    known = maker.knowing(some[-1])
    assert known.knowing(some[-1]) is known
    rows = {name: maker.tried(name, found.seen, 0).rows for name in maker.actions}
    hard = {name: rng.random(len(own)) < 0.3 for name, own in rows.items()}
    for name, after in known.renumbered(maker, hard).items():
        assert known.tried(name, found.seen, 0).rows[after].tolist() == rows[name][hard[name]].tolist()
    assert maker.renumbered(known, known.renumbered(maker, hard)).keys() == hard.keys()
