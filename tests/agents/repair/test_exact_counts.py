"""What repair counts, takes in and gives up, held against counts that are made example by example."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from test_text import NESTED, PROBLEM
from walked_worlds import broken, walked

from agents.repair import constraints
from agents.repair.candidate import Candidate, EffectEdit
from agents.repair.constraints import _Constraints, _Solution
from agents.repair.examples import keys_of
from agents.repair.goal_reach import GoalReach
from agents.repair.goals import GoalGuesses, likely_effects
from agents.repair.ledger import _Ledger
from agents.repair.model import Fit, Model
from agents.repair.repair import _Repair
from agents.repair.repaired import RepairVerdict
from agents.repair.rules.conjuncts import NO_CONJUNCTS
from agents.repair.rules.variants import _needed, _variants
from agents.repair.search import Repairs
from agents.repair.session import RepairConfig, RepairSession, RepairTask
from agents.repair.text import DescribedEdit, changed_domain, shown
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.simulation.lifted import denoted
from envs.world import open_world
from ew.walks.budget import TimeUp

NOTHING = frozenset()
GIVEN = Candidate(NOTHING, {})
some_worlds = pytest.mark.parametrize("world", ["dimhollow", "grippers"])


def own_preconditions(model: Model) -> _Solution:
    """What is chosen where nothing is edited."""
    return _Solution(NOTHING, {name: list(a.preconditions) for name, a in model.actions.items()}, (0,) * 4)


def in_constraints(world: str, faults: int) -> tuple[Model, Repairs, _Constraints]:
    """A world's rules without some terms, beside walks in the world."""
    found = walked(world)
    problem = broken(found.problem, faults, 2)[0] if faults else found.problem
    repairs = found.repairs(problem)
    return repairs.model, repairs, _Constraints(repairs, lambda _: False, NO_CONJUNCTS)


@some_worlds
@pytest.mark.parametrize("faults", [0, 4])
def test_every_example_that_a_solution_gets_wrong_is_taken_in_once_and_no_other(
    world: str, faults: int
) -> None:
    model, repairs, program = in_constraints(world, faults)
    solution, wrong = own_preconditions(model), set()
    for name in model.actions:
        for rows in program._wrong(name, solution):
            wrong |= {(name, example) for example in rows.tolist()}
    assert len(wrong) == repairs.errors(GIVEN) and bool(wrong) == bool(faults)
    rounds = 0
    while program._take_in(solution, 16):
        rounds += 1
        assert rounds <= len(wrong), "nothing was new"
    assert program._taken == wrong
    for last in sorted(wrong)[:3]:
        program._taken = wrong - {last}
        assert program._take_in(solution, 1), "one is new"
        assert not program._take_in(solution, 1)


@some_worlds
def test_what_a_candidate_leaves_unexplained_is_what_it_gets_wrong(world: str) -> None:
    dropped = 0
    for seed in range(4):
        found = walked(world)
        repairs = found.repairs(broken(found.problem, 4, seed)[0])
        candidate = repairs.candidate(NOTHING)
        assert repairs.errors(candidate) == candidate.unexplained
        dropped += sum(len(fitted.dropped) for fitted in candidate.fits.values())
    assert dropped


def test_with_a_new_parameter_exactly_those_atoms_stay_that_executed_operators_read() -> None:
    found, left_out = walked("grippers", 4, 6), 0
    predicates = found.problem.domain.vocabulary.predicates
    added = [(edit, p) for edit, p in _variants((found.problem,), predicates) if not edit.dropped]
    for edit, changed in added[:4]:
        model = Model.of(*changed)
        examples = found.examples(found.problem)
        table, objects, needed = (
            Repairs(model, examples).tables(NOTHING)[edit.predicate],
            model.objects,
            [],
        )
        for name, action in model.actions.items():
            taught = examples.of[name]
            own = [p for p in action.preconditions if p.predicate == edit.predicate and p.positive]
            for literal, example in product(own, taught.positive.tolist()):
                row = [t if t >= 0 else int(taught.arguments[example][~t]) for t in literal.terms]
                if table[taught.nodes[example], keys_of(row, {}, 1, model.base)[0]]:
                    needed.append((edit.predicate, *(objects[n] for n in row)))
        kept = _needed(changed, examples, edit.predicate)[0].init
        others = {atom for atom in changed[0].init if atom[0] != edit.predicate}
        assert kept == others | (changed[0].init & set(needed))
        left_out += len(changed[0].init - kept)
    assert left_out


@pytest.fixture
def begun():
    """begun(**config): a repair of a broken world before its first round."""

    def make(**config) -> _Repair:
        problem = broken(walked("grippers").problem, 3, 0)[0]
        settings = RepairConfig(walks=8, t_max=8, goal_trials=0, **config)
        rng = np.random.default_rng(3)
        return _Repair(RepairSession([RepairTask(open_world("grippers", 1), problem)], rng, settings), ())

    return make


@pytest.mark.parametrize("queried", [False, True])
@pytest.mark.parametrize(("first", "most"), [(2, 1), (1, 1), (3, 40), (40, 2000)])
def test_a_search_that_gets_nowhere_goes_twice_as_far_up_to_the_limit_and_then_gives_up(
    begun, monkeypatch, first: int, most: int, queried: bool
) -> None:
    """Where nothing was asked since the search before, it walks first, as else it would see nothing new."""
    stuck, looks, rounds = Candidate(NOTHING, {"act": Fit(left=1)}), [], 0
    run = begun(expansions=first, most_expansions=most)
    monkeypatch.setattr(run, "_search", lambda before: stuck)
    monkeypatch.setattr(run, "_changes_structure", lambda found: False)
    monkeypatch.setattr(run._session, "look", lambda: looks.append(rounds))
    while run._improved(run._session.queries - queried):
        rounds += 1
        assert rounds < 20, "it never gives up"
    assert first * 2**rounds > most and (not rounds or first * 2 ** (rounds - 1) <= most)
    assert len(looks) == (0 if queried else rounds)


def test_the_model_is_walked_only_once_it_explains_what_was_seen(begun, monkeypatch) -> None:
    run, explained = begun(), []

    def check(self: RepairSession, candidate: Candidate) -> bool:
        explained.append((self.explains(GIVEN), self.explains(candidate)))
        raise TimeUp

    monkeypatch.setattr(RepairSession, "check", check)
    assert run.run(looks=True).verdict is RepairVerdict.OUT_OF_TIME and explained == [(False, True)]


def test_where_the_program_is_too_large_the_search_alone_is_left(begun, monkeypatch) -> None:
    monkeypatch.setattr(constraints, "MAX_FACTS", -1)
    found = []
    for search in ("constraints", "best_first"):
        run = begun(search=search, expansions=10)
        run._session.look()
        found.append(run._search(GIVEN))
    assert found[0].rules == found[1].rules and found[0].edits == found[1].edits


@some_worlds
def test_the_example_shown_is_that_of_the_shortest_walk_whatever_the_order(world: str) -> None:
    """Of equally short ones the first node's, and there the first action's."""
    _, repairs, _ = in_constraints(world, 0)
    ledger, rng = _Ledger(repairs, GIVEN, []), np.random.default_rng(1)
    ranked = sorted(
        (int(ledger._walks.depth[node]), node, view.number, example)
        for view in ledger._views
        for example, node in enumerate(view.examples.nodes.tolist())
    )
    assert ledger._shortest(np.zeros((0, 2), dtype=np.int64)) is None
    for case in range(40):
        among = ranked if case % 2 else [entry for entry in ranked if entry[1] == 0]
        chosen = [among[i] for i in rng.choice(len(among), 5)]
        first = ledger._shortest(np.array([min(chosen)[2:]]))
        assert ledger._shortest(np.array([entry[2:] for entry in chosen])) == first is not None


@some_worlds
def test_an_edit_is_doubted_once_for_each_reason(world: str) -> None:
    model, repairs, _ = in_constraints(world, 0)
    guesses = GoalGuesses(repairs, GoalReach(repairs, {}), {}, ())
    guesses._likely = likely_effects(model, frozenset(), {predicate for predicate, _ in model.wanted})
    seen = walked(world)
    ran = {seen.task.operators[o].strip("()").split()[0] for o in seen.seen.operators.tolist() if o >= 0}
    for name, action in model.actions.items():
        for effect in action.candidates:
            edit = EffectEdit(name, effect, effect not in action.effects)
            words = shown(model, name, replace(effect, positive=True)).strip("()").split()[1:]
            by_another = edit.present and (name, effect) in guesses._likely
            reasons = [
                any(not word.startswith("?") or words.count(word) > 1 for word in words),
                edit.present and not alike(name, effect.predicate) and not by_another,
                name not in ran,
            ]
            assert guesses._doubt(edit) == sum(reasons)


def alike(one: str, other: str) -> bool:
    """Whether some words of two names begin with the same four letters."""
    words = [name.replace("_", "-").split("-") for name in (one, other)]
    return any(a[:4] == b[:4] for a, b in product(*words))


def test_terms_below_zero_are_variables_and_all_others_objects() -> None:
    binding = {0: 7, 1: 0, 2: 1}
    for terms in product(range(-3, 3), repeat=2):
        found = denoted(terms, binding)
        assert found == tuple(binding[-1 - term] if term < 0 else term for term in terms)


def test_a_literal_that_is_added_and_removed_again_leaves_the_action_as_it_was() -> None:
    problem = read_problem(PROBLEM, read_domain(NESTED))
    before = Model.of(problem).actions
    for name, part, literal in product(before, ("precondition", "effect"), ("(q ?x)", "(r ?x)")):
        present = {
            shown(Model.of(problem), name, p)
            for p in (before[name].preconditions if part == "precondition" else before[name].effects)
        }
        order = (False, True) if literal in present else (True, False)
        text = problem
        for added in order:
            text = read_problem(
                PROBLEM, read_domain(changed_domain(text.domain, [DescribedEdit(name, part, literal, added)]))
            )
        after = Model.of(text).actions[name]
        assert set(after.preconditions) == set(before[name].preconditions)
        assert after.effects == before[name].effects
