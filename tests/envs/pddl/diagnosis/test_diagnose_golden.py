"""The words for typical faults, byte for byte: users and language models read the same.

To accept new words, delete the file under `golden/` and run the test: it writes the file and fails once.
"""

import re
from pathlib import Path

import pytest
from pddl_faults import CODES, TABLE, WARNINGS

from envs.pddl.diagnosis.diagnose import diagnose

GOLDEN = Path(__file__).parents[1] / "golden"
CASES = {name: texts for table in (TABLE, CODES, WARNINGS) for name, (texts, _) in table.items()}
CHOSEN = (
    "missing )",
    "surplus )",
    "fence and prose",
    "two defines",
    "type error in :init",
    "cyclic types",
    "action twice",
    "undeclared requirement",
    "other :domain",
    "(and ...) in :init",
    "two effects in a row",
    "not with two parts",
    "dash without blank",
    "predicate",
    "type",
    "object in goal",
    "object in action",
    "variable",
    "arity",
    "argument type",
    "parameter twice",
    "derived",
    "number test",
    "cost",
    "not in init",
    "no object of a type",
    "no effect",
)


@pytest.mark.parametrize("name", CHOSEN)
def test_the_words_for_a_fault_are_these(name):
    path = GOLDEN / (re.sub(r"[^a-z]+", "_", name).strip("_") + ".txt")
    rendered = diagnose(*CASES[name]).render() + "\n"
    if not path.exists():
        path.write_text(rendered, encoding="utf-8")
        pytest.fail(f"{path.name} was missing and has been written; read it and run again")
    assert rendered == path.read_text(encoding="utf-8")
