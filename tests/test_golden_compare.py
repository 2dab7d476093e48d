"""The golden record holds every part, and a change of any of its files is found and named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from golden import PARTS, RECORD, files_of
from golden_compare import first_difference
from golden_jobs import RUNS, WITHOUT_CLOCK, keep

#: A change of one place in a file, and words that its report has to have.
CHANGES = {
    "results.csv": ("env,ew\na,1.0\nb,0.5\n", "env,ew\na,1.0\nb,0.6\n", "row 2 (b, 0.5), column ew"),
    "header.csv": ("env,ew\n", "env,score\n", "columns: was"),
    "shorter.csv": ("env\na\n", "env\n", "row 1: was"),
    "tables.md": ("A\nB\n", "A\nC\n", "line 2: was 'B', is 'C'"),
    "walks.jsonl": ('{"env": "a", "s": {"f": 1}}\n', '{"env": "a", "s": {"f": 3}}\n', "(env a), s.f: was"),
    "requests.txt": ("aa 0\nbb 0\n", "aa 0\ncc 0\n", "1 requests are new, 1 are not sent any more"),
    "sub/requests.txt": ("aa 0\n", "aa 0 1\n", "request aa: samples was '0', is '0 1'"),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_found_and_named(name: str) -> None:
    old, new, words = CHANGES[name]
    same = {"other.csv": "a\n1\n"}
    assert first_difference({name: old, **same}, {name: old, **same}, {}) is None
    told = first_difference({name: old, **same}, {name: new, **same}, {"cc": "the new question"})
    assert told is not None and told.startswith(f"{name}: ") and words in told
    assert ("the new question" in told) == (name == "requests.txt")


def test_any_changed_byte_of_the_record_is_found() -> None:
    """One character in the middle of each recorded file."""
    for part in PARTS:
        files = files_of(RECORD / part)
        assert files, f"{part} is not recorded: python tests/golden.py --only {part} --write"
        for name, text in files.items():
            place = next((i for i in range(len(text) // 2, len(text)) if text[i].isdigit()), None)
            if place is not None:
                digit = str((int(text[place]) + 1) % 10)
                changed = {**files, name: text[:place] + digit + text[place + 1 :]}
                assert (first_difference(files, changed, {}) or "").startswith(f"{name}: ")


def test_a_file_that_comes_or_goes_is_found() -> None:
    assert first_difference({"a": ""}, {}, {}) == "a: is not written any more"
    assert first_difference({}, {"a": ""}, {}) == "a: is new"


def test_columns_of_the_clock_are_left_out_and_no_others() -> None:
    text = 'env,wall s,EW\na,1.5,"1.00 [0.5, 1.0]"\n'
    assert WITHOUT_CLOCK[".csv"](text) == 'env,EW\na,"1.00 [0.5, 1.0]"\n'
    markdown = "Cost\n\n| env | wall s | a \\| b |\n| --- | --- | --- |\n| x | 2 | 3 |\n\nNote.\n"
    assert WITHOUT_CLOCK[".md"](markdown) == "Cost\n\n| env | a \\| b |\n| --- | --- |\n| x | 3 |\n\nNote.\n"


def test_what_is_kept_of_a_run_depends_on_its_requests_and_not_on_their_order(tmp_path: Path) -> None:
    keep(RUNS / "finished", tmp_path)
    kept = files_of(tmp_path)
    lines = kept["requests.txt"].splitlines()
    assert lines == sorted(lines) and all(len(line.split()[0]) == 64 for line in lines)
    excerpts = json.loads((tmp_path / "_requests.json").read_text(encoding="utf-8"))
    assert excerpts.keys() == {line.split()[0] for line in lines}
    assert "results.csv" in kept and "_requests.json" not in kept
