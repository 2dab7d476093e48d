"""Laws of the parts of repair: what a candidate costs, how often it is checked, what is drawn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.operators.exploration import _drawn, _in_part
from agents.repair.candidate import UNEXPLAINED, Candidate
from agents.repair.ledger import Entry
from agents.repair.model import Fit
from agents.repair.proposals import MAX_ENTRIES, note_of, rows, table
from agents.repair.repair import repair
from agents.repair.repaired import Repaired, RepairVerdict
from agents.repair.session import RepairConfig, RepairSession, RepairTask
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.language.terms import Part
from envs.pddl.simulation.lifted import Literal
from envs.pddl.traces.trace import SeenState
from envs.source import read_texts
from envs.world import open_world

counts = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=4)


def candidate(refuting, proved=0):
    """A candidate of one action; of its dropped preconditions the first `proved` are known to be wrong."""
    dropped = tuple((Literal("p", (~i,), True), wrong) for i, (wrong, _) in enumerate(refuting))
    sure = frozenset(("act", literal) for literal, _ in dropped[:proved])
    return Candidate(frozenset(), {"act": Fit(dropped, (), sum(left for _, left in refuting))}, sure)


@given(counts, st.integers(0, 4))
def test_a_doubt_grows_by_one_where_what_speaks_for_it_doubles_and_what_is_proved_is_none(pairs, proved):
    """Operators that refute are counted as 1 + n, so that 2 n + 1 are the double of n."""
    doubled = [(2 * wrong + 1, 0) for wrong, _ in pairs]
    single, double = (candidate(p, proved) for p in ([(wrong, 0) for wrong, _ in pairs], doubled))
    doubted = len(pairs) - min(proved, len(pairs))
    assert double.weighed_cost - single.weighed_cost == pytest.approx(UNEXPLAINED * doubted)
    assert candidate([(0, 0)] * len(pairs)).weighed_cost == pytest.approx(len(pairs))
    left = sum(n for _, n in pairs)
    more = Candidate(frozenset(), {"act": Fit(left=2 * left + 1)}).weighed_cost
    assert more - Candidate(frozenset(), {"act": Fit(left=left)}).weighed_cost == pytest.approx(
        2 * UNEXPLAINED
    )


@pytest.mark.parametrize("checks", [1, 2, 3])
def test_a_right_model_agrees_after_exactly_so_many_checks(checks, monkeypatch):
    texts = read_texts("grippers", 1)
    problem = read_problem(texts.problem, read_domain(texts.domain))
    made = []
    check = RepairSession.check
    monkeypatch.setattr(RepairSession, "check", lambda self, best: made.append(best) or check(self, best))
    config = RepairConfig(agreeing=checks, goal_trials=0)
    found = repair([RepairTask(open_world("grippers", 1), problem)], np.random.default_rng(0), config)
    assert found.verdict is RepairVerdict.AGREES and len(made) == checks


@given(st.lists(st.integers(), unique=True, max_size=8), st.integers(0, 9))
def test_a_part_is_drawn_without_repeating_and_everything_is_drawn_at_times(numbers, count):
    drawn = [_drawn(numbers, count, np.random.default_rng(seed)) for seed in range(60)]
    for part in drawn:
        assert len(part) == len(set(part)) == min(count, len(numbers))
        assert part == [n for n in numbers if n in part]
    assert not numbers or not count or {n for part in drawn for n in part} == set(numbers)


def test_a_row_says_whether_the_model_has_a_literal_and_since_when():
    cases = {(True, True): "added", (False, True): "removed", (True, False): "kept"}
    entries = [Entry("act", Part.EFFECT, f"(p{i})", 1, 0, *case) for i, case in enumerate(cases)]
    entries.append(Entry("act", Part.EFFECT, "(q)", 1, 0, False, rival_of="(r)"))
    words = [row[3] for row in rows(entries, len(entries))]
    assert words == [*cases.values(), "instead of (r)"]
    assert all(f"| {word} " in table(entries) for word in cases.values())


@pytest.mark.parametrize("count", [0, 3, MAX_ENTRIES, MAX_ENTRIES + 7])
def test_every_entry_is_kept_or_counted_as_left_out(count):
    entries = tuple(Entry("act", Part.EFFECT, f"(p{i})", 1, 0) for i in range(count))
    note = note_of(Repaired(RepairVerdict.AGREES, "", "", (), 0, 0, 0, 0.0, evidence=entries))
    assert len(note.ledger) == min(count, MAX_ENTRIES) and len(note.ledger) + note.left_out == count


def test_each_atom_is_seen_as_often_as_its_share_says_and_all_of_them_with_a_share_of_one():
    atoms = [("p", str(i)) for i in range(4)]
    facts = [frozenset(atoms[:2]), frozenset(atoms[1:]), frozenset()]
    whole = [SeenState(true, frozenset(atoms) - true) for true in facts]
    assert list(_in_part(facts, atoms, np.random.default_rng(0), 1.0)) == whole
    parts = list(_in_part(facts * 400, atoms, np.random.default_rng(0), 0.3))
    for part, true in zip(parts, facts * 400, strict=True):
        assert part.true <= true and not part.false & true
    for atom in atoms:
        share = sum(atom in part.true | part.false for part in parts) / len(parts)
        assert share == pytest.approx(0.3, abs=0.05)  # nearly four standard errors
