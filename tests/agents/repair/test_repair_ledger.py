"""The ledger counts exactly what goes wrong without a literal, or with it, and shows it by a walk."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from walked_worlds import broken, walked

from agents.repair.candidate import Candidate, EffectEdit
from agents.repair.constraints import fewest_edits
from agents.repair.examples import HoldsAt, keys_of
from agents.repair.ledger import Entry, Standing, ledger
from agents.repair.model import Model
from agents.repair.proposals import HEADER, MAX_EVIDENCE, brief, note_of, rows, table
from agents.repair.repaired import Repaired, RepairVerdict
from agents.repair.search import Repairs
from agents.repair.text import shown
from envs.pddl.language.terms import Part
from ew.walks.walk import run_walks, walk_of

TRUTH = Candidate(frozenset(), {})
some_worlds = pytest.mark.parametrize("world", ["blocksworld", "grippers", "termes", "tyreworld", "movie"])


def wrong(model: Model, examples, tables, without=None) -> int:
    """The examples that the preconditions, but for the one of an action, do not explain."""
    count = 0
    for name, action in model.actions.items():
        own = examples.of[name]
        columns = dict(enumerate(own.arguments.T))
        runs = np.ones(len(own.nodes), dtype=np.bool_)
        for literal in action.preconditions:
            if without != (name, literal):
                keys = keys_of(literal.terms, columns, len(runs), model.base)
                runs &= tables[literal.predicate][own.nodes, keys] == literal.positive
        for part in action.fixed:
            holds = HoldsAt(own.nodes, tables, action.schemas[0], model.base)
            runs &= holds.rows(part, columns, len(runs))
        executed = np.zeros(len(runs), dtype=np.bool_)
        executed[own.positive] = True
        count += int((runs != executed).sum())
    return count


@some_worlds
def test_a_precondition_has_for_it_what_would_go_wrong_without_it(world: str) -> None:
    found = walked(world)
    model, examples = Model.of(found.problem), found.examples(found.problem)
    tables = Repairs(model, examples).tables(frozenset())
    entries = {(e.action, e.part, e.literal): e for e in ledger(Repairs(model, examples), TRUTH)}
    for name, action in model.actions.items():
        for literal in action.preconditions:
            entry = entries[name, Part.PRECONDITION, shown(model, name, literal)]
            assert entry.supporting == wrong(model, examples, tables, (name, literal))
            assert (entry.refuting, entry.present, entry.edited) == (0, True, False)


@some_worlds
def test_an_effect_has_for_it_what_would_go_wrong_without_it(world: str) -> None:
    found = walked(world)
    model, examples = Model.of(found.problem), found.examples(found.problem)
    repairs = Repairs(model, examples)
    entries = {(e.action, e.part, e.literal): e for e in ledger(repairs, TRUTH)}
    for name, action in model.actions.items():
        for effect in action.effects:
            tables = repairs.tables(frozenset({EffectEdit(name, effect, False)}))
            entry = entries[name, Part.EFFECT, shown(model, name, effect)]
            assert entry.supporting == wrong(model, examples, tables)
            assert entry.refuting == 0


@pytest.mark.parametrize("world", ["blocksworld", "grippers", "depot", "dimhollow"])
def test_a_wrong_effect_that_was_removed_has_against_it_what_goes_wrong_with_it(world: str) -> None:
    found = walked(world)
    examples, checked = found.examples(found.problem), 0
    model = Model.of(found.problem)
    for name, action in model.actions.items():
        for literal in [p for p in action.candidates if p not in action.effects][::7]:
            worse = replace(action, effects=action.effects | {literal})
            faulty = replace(model, actions={**model.actions, name: worse})
            repairs = Repairs(faulty, examples)
            edit = EffectEdit(name, literal, False)
            entries = ledger(repairs, Candidate(frozenset({edit}), {}))
            (entry,) = [e for e in entries if e.edited]
            assert entry.refuting == wrong(faulty, examples, repairs.tables(frozenset()))
            assert (entry.literal, entry.present) == (shown(model, name, literal), False)
            checked += bool(entry.refuting)
    assert checked


@some_worlds
@pytest.mark.parametrize("seed", range(2))
def test_an_example_is_what_the_world_did_and_no_other_needs_a_shorter_walk(world: str, seed: int) -> None:
    found = walked(world)
    problem, _ = broken(found.problem, 3, seed)
    model, examples = Model.of(problem), found.examples(problem)
    candidate = fewest_edits(Repairs(model, examples), 60).candidate
    for entry in ledger(Repairs(model, examples), candidate):
        assert (entry.example is None) == (entry.supporting + entry.refuting == 0)
        if entry.example is not None:
            seen = entry.example
            index = found.task.operator_index.get(seen.operator)
            walk = walk_of(found.task, (*seen.walk, seen.operator) if index is not None else seen.walk)
            assert int(run_walks(found.task, walk)[0]) == len(seen.walk) + seen.executed


def test_what_refutes_a_dropped_precondition_is_counted_as_the_fit_counts_it() -> None:
    found = walked("grippers")
    model = Model.of(found.problem)
    pick = model.actions["pick"]
    foreign = next(p for p in pick.candidates if not p.positive and p.predicate == "at-robby")
    worse = replace(pick, preconditions=(*pick.preconditions, foreign))
    faulty = replace(model, actions={**model.actions, "pick": worse})
    examples = found.examples(found.problem)
    candidate = Repairs(faulty, examples).candidate(frozenset())
    (entry,) = [e for e in ledger(Repairs(faulty, examples), candidate) if e.edited]
    assert ((foreign, entry.refuting),) == candidate.fits["pick"].dropped
    assert entry.standing is Standing.REFUTED and entry.example is not None and entry.example.executed


def test_an_added_precondition_with_rivals_is_open_and_each_rival_would_explain_as_much() -> None:
    found = walked("blocksworld", walks=1, length=2)
    model, examples, checked = Model.of(found.problem), found.examples(found.problem), 0
    for name, action in model.actions.items():
        for literal in action.preconditions:
            kept = tuple(p for p in action.preconditions if p != literal)
            less = replace(model, actions={**model.actions, name: replace(action, preconditions=kept)})
            candidate = Repairs(less, examples).candidate(frozenset())
            for entry in ledger(Repairs(less, examples), candidate):
                if entry.rival_of:
                    checked += 1
                    assert entry.standing is Standing.OPEN and not entry.present
                    assert entry.supporting > 0
                if entry.rivals:
                    assert entry.standing is Standing.OPEN
    assert checked


def test_the_ledger_is_the_same_each_time_and_its_words_name_every_literal() -> None:
    found = walked("termes")
    problem, _ = broken(found.problem, 5, 1)
    model, examples = Model.of(problem), found.examples(problem)
    candidate = fewest_edits(Repairs(model, examples), 60).candidate
    entries = ledger(Repairs(model, examples), candidate)
    assert entries == ledger(found.repairs(problem), candidate)
    assert all(f"`{entry.literal}`" in table(entries) for entry in entries)
    assert len(table(entries).splitlines()) == len(entries) + 2
    assert all(entry.literal in brief(entries) for entry in entries)
    assert brief(()) == ""
    every = rows(entries, len(entries))
    assert [row[2] for row in every] == [entry.literal for entry in entries]
    assert {len(row) for row in every} == {len(HEADER)}
    for most in (0, 3, 8, len(entries) - 1):  # those that tell of edits stay first, in their order
        few = rows(entries, most)
        edited = [row for row, e in zip(every, entries, strict=True) if e.edited or e.refuting]
        assert [row for row in every if row in few] == list(few) and len(few) == most
        assert set(edited[:most]) <= set(few)


def test_of_long_evidence_as_many_whole_lines_are_kept_as_the_bound_has_room_for() -> None:
    """The last line may end four characters before the bound, where the mark of the cut begins."""
    most, last = MAX_EVIDENCE - 5, "q" * 40
    start = len(brief([Entry("a", Part.EFFECT, "", 0, 0), Entry("a", Part.EFFECT, "", 0, 0)]))
    for end, kept in ((most, True), (most + 1, False)):
        sizes = "p" * (end - start), ""
        entries = [Entry("a", Part.EFFECT, literal, 0, 0) for literal in (*sizes, last)]
        words = note_of(
            Repaired(RepairVerdict.AGREES, "", "", (), 0, 0, 0, 0.0, evidence=tuple(entries))
        ).evidence
        lines = brief(entries).splitlines()
        assert len("\n".join(lines[:3])) == end
        assert words.splitlines() == [*lines[: 3 if kept else 2], "…"] and len(words) <= MAX_EVIDENCE
