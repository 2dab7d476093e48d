"""`check` on a world's own invariants: true ones pass, and what a state breaks is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from envs.pddl.language.issues import Severity
from envs.source import INVARIANTS
from experiments.worlds.check import findings_of

TRUE = ':- holds("at", B, R), holds("at", B, S), R < S.\n'


def test_true_invariants_have_no_findings(folder: Path) -> None:
    before = findings_of(str(folder))
    (folder / INVARIANTS).write_text(TRUE, encoding="utf-8")
    assert findings_of(str(folder)) == before


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        (":- holds(", "cannot read"),
        ("#script(python) print(1) #end.", "may not stand"),
        (':- holds("free", R, G).', "exclude the initial state"),
        (':- holds("carry", B, R, G).', "states that can be reached"),
    ],
)
def test_wrong_invariants_are_told(folder: Path, rules: str, told: str) -> None:
    (folder / INVARIANTS).write_text(rules, encoding="utf-8")
    (found,) = [f for f in findings_of(str(folder)) if f.place == INVARIANTS]
    assert found.severity is Severity.ERROR and told in found.message
