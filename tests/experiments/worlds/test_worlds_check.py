"""`check`: a whole folder passes, and whatever is broken in it is found, named and mended by the advice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from envs.pddl.language.issues import Severity
from envs.pddlgym_suite import missing
from envs.registry import WORLDS_FOLDER
from experiments.worlds.__main__ import main
from experiments.worlds.check import findings_of

needs_pddlgym = pytest.mark.skipif(missing() is not None, reason=str(missing()))


def replaced(name: str, old: str, new: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        text = (folder / name).read_text(encoding="utf-8")
        assert old in text
        (folder / name).write_text(text.replace(old, new, 1), encoding="utf-8")

    return change


def removed(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def renamed(old: str, new: str) -> Callable[[Path], object]:
    return lambda folder: (folder / old).rename(folder / new)


def goal_of(new: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        head = (folder / "p02.pddl").read_text(encoding="utf-8").partition("(:goal")[0]
        (folder / "p02.pddl").write_text(f"{head}(:goal {new}))", encoding="utf-8")

    return change


def facts_of(new: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        text = (folder / "p02.pddl").read_text(encoding="utf-8")
        head, _, rest = text.partition("(:init")
        (folder / "p02.pddl").write_text(f"{head}(:init {new}) (:goal{rest.partition('(:goal')[2]}")

    return change


def test_a_text_that_cannot_be_terse_has_one_fix(folder: Path) -> None:
    lacking = [str(found) for found in findings_of(f"{folder}+terse")]
    assert lacking and all("or take +" in line and "another suffix" not in line for line in lacking)
    (folder / "implied.json").write_text('{"facts": [{"fact": "free ?r ?g"}]}', encoding="utf-8")
    wrong = [line for line in map(str, findings_of(f"{folder}+terse")) if "p02.pddl" in line]
    assert len(wrong) == 1 and "follow, which is not so" in wrong[0]
    assert wrong[0].count("take another") == 1


def test_a_whole_folder_has_nothing_to_mend(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "notes.txt").write_text("ignored", encoding="utf-8")
    assert findings_of(str(folder)) == []
    assert main(["check", str(folder), "--solve"]) == 0
    rules = "rules: those of the built-in world grippers, which declares the same"
    example = "example: that of the built-in world grippers"
    told = [f"for `run tic`: {rules}; {example}", f"{folder}: nothing to fix"]
    ignored, *rest = capsys.readouterr().out.splitlines()
    assert ignored.startswith("ignored: notes.txt; ") and rest == told


@pytest.mark.parametrize(
    "world", ["grippers", "movie+compact", pytest.param("pddlgym:blocks", marks=needs_pddlgym)]
)
def test_built_in_worlds_have_nothing_to_mend(world: str) -> None:
    assert findings_of(world) == []


def test_the_folder_of_a_built_in_world_is_that_world(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(WORLDS_FOLDER)
    for path in ("./movie", str(WORLDS_FOLDER / "movie+compact")):
        assert findings_of(path) == []


@pytest.mark.parametrize(
    ("change", "place", "words"),
    [
        (removed("domain.pddl"), "domain.pddl", "write that file"),
        (renamed("domain.pddl", "grippers.pddl"), "domain.pddl", "rename grippers.pddl to domain.pddl"),
        (replaced("domain.pddl", "?to", "to"), "domain.pddl:", "; "),
        (removed("domain.nl"), "domain.nl", "+undocumented"),
        (replaced("words.json", "{", ""), "words.json", "words.json"),
        (removed("p01.pddl"), "p01.pddl", "no first task"),
        (removed("p01.nl"), "p01.nl", "+explicit"),
        (replaced("p02.pddl", "room1", "room99"), "p02.pddl:", "[undeclared_object]"),
        (replaced("p02.nl", "lies in room", "lies in  room"), "", ""),
        (facts_of(""), "p02.pddl", "no action can be done at first"),
        (lambda f: (f / "p02.nl").write_bytes(b"\xff\xfe"), "p02.nl", "UTF-8"),
    ],
)
def test_each_fault_is_found_where_it_is(
    folder: Path, change: Callable[[Path], object], place: str, words: str
) -> None:
    change(folder)
    lines = [str(f) for f in findings_of(str(folder)) if f.severity is Severity.ERROR]
    if not place:  # a text that is not of the explicit form is not judged
        assert lines == []
        return
    assert any(line.startswith(f"error: {place}") and words in line for line in lines), lines
    assert all("\n" not in line for line in lines)
    assert main(["check", str(folder)]) == 1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (removed("words.json"), "facts are written as PDDL"),
        (replaced("words.json", '"many": "{0} lie in {1}"', '"many": "{0} lie"'), "predicate 'at', many"),
        (replaced("domain.nl", "drop:", "leave:"), "the action drop is not named"),
        (renamed("p02.pddl", "p03.pddl"), "number the tasks without a gap"),
        (renamed("p02.pddl", "p2.pddl"), "rename it and its text to p02"),
        (removed("p02.nl"), "+explicit"),
        (removed("p02.pddl"), "belongs to no task"),
        (goal_of("(and)"), "the goal holds at first"),
    ],
)
def test_doubts_are_warnings(folder: Path, change: Callable[[Path], object], words: str) -> None:
    change(folder)
    lines = [str(f) for f in findings_of(str(folder)) if f.severity is Severity.WARNING]
    assert any(words in line for line in lines), lines


def test_a_text_that_says_something_else_than_its_pddl_is_found(folder: Path) -> None:
    text = (folder / "p01.nl").read_text(encoding="utf-8")
    line = next(line for line in text.splitlines() if line.startswith("- ball1 lies in"))
    other = "room1" if line.endswith("room2.") else "room2"
    (folder / "p01.nl").write_text(text.replace(line, f"- ball1 lies in {other}.", 1), encoding="utf-8")
    found = [str(f) for f in findings_of(str(folder))]
    assert len(found) == 2 and all("p01.nl" in line and "ball1" in line for line in found)
    assert "only the text has" in found[0] and other in found[0] and "only the PDDL has" in found[1]


def test_a_task_that_nobody_can_solve_is_found_on_request(folder: Path) -> None:
    goal_of("(and (at ball1 room1) (at ball1 room2))")(folder)
    (folder / "p02.nl").write_text("Put ball1 into both rooms.", encoding="utf-8")
    assert findings_of(str(folder)) == []
    (finding,) = findings_of(str(folder), solve=True)
    assert finding.place == "p02.pddl" and "unsolvable" in finding.message
