"""The laws that docs/endpoints.md states have the tests that it names."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
DOCUMENT = (ROOT / "docs" / "endpoints.md").read_text(encoding="utf-8")


def test_every_law_names_tests_that_exist():
    laws = [line for line in DOCUMENT.partition("## Laws")[2].splitlines() if line.startswith("| ")][2:]
    assert laws
    for law in laws:
        named = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", law)
        assert named, law
        for path, name in named:
            assert f"def {name}(" in (ROOT / path).read_text(encoding="utf-8"), f"{path}::{name}"
