"""`check` finds an error in a folder if, and only if, no run works on it: over folders with many faults."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from wide import wide

from envs.intermediate.knowledge import EXAMPLES, sources_of
from envs.pddl.language.issues import Severity
from envs.variants import SUFFIXES
from experiments.run import main
from experiments.worlds.__main__ import main as worlds
from experiments.worlds.check import findings_of, ignored_in

Change = Callable[[Path], object]


def without(name: str) -> Change:
    return lambda folder: (folder / name).unlink(missing_ok=True)


def holding(name: str, text: str) -> Change:
    return lambda folder: (folder / name).write_text(text, encoding="utf-8")


def copied(old: str, new: str) -> Change:
    return lambda folder: (folder / old).exists() and shutil.copyfile(folder / old, folder / new)


def moved(old: str, new: str) -> Change:
    return lambda folder: (folder / old).exists() and (folder / old).rename(folder / new)


def task(old: str, new: str) -> Change:
    """A task with its text under another name as well."""
    return lambda folder: [copied(f"{old}.{kind}", f"{new}.{kind}")(folder) for kind in ("pddl", "nl")]


def contradict(text: Path) -> None:
    """Have a text put every ball somewhere else."""
    if text.exists():
        said = text.read_text(encoding="utf-8")
        text.write_text(said.replace("lies in room1", "lies in room2"), encoding="utf-8")


BROKEN = "(define (problem broken) (:domain grippers) (:init (no-such-fact)) (:goal (and)))"
#: By the words for it; each is done or left out.
CHANGES: dict[str, Change] = {
    "no description": without("domain.nl"),
    "an empty description": holding("domain.nl", "  \n"),
    "no words": without("words.json"),
    "words that are no JSON": holding("words.json", "{"),
    "no first task": without("p01.pddl"),
    "no first text": without("p01.nl"),
    "a wrong first text": holding("p01.nl", "The balls lie about. Tidy up."),
    "a first text that contradicts": lambda folder: contradict(folder / "p01.nl"),
    "no second task": without("p02.pddl"),
    "no second text": without("p02.nl"),
    "a broken second task": holding("p02.pddl", BROKEN),
    "a broken task after a gap": holding("p07.pddl", BROKEN),
    "a broken task of another name": holding("hard-instance.pddl", BROKEN),
    "a file that is no PDDL": holding("notes.pddl", "to do ((("),
    "a text of no task": holding("p09.nl", "Nobody knows."),
    "a task with one digit": task("p01", "p3"),
    "texts in Markdown": moved("domain.nl", "domain.md"),
    "a feedback task": task("p01", "f01"),
    "a broken feedback task": holding("f01.pddl", BROKEN),
    "a broken third feedback task": holding("f03.pddl", BROKEN),
    "a broken example": holding("example.pddl", BROKEN),
    "a broken example under the published name": holding("p_example.pddl", BROKEN),
    "bytes that are no text": lambda folder: (folder / "scan.txt").write_bytes(b"\xff\xfe\xff"),
    "a task that is no text": lambda folder: (folder / "p02.pddl").write_bytes(b"\xff\xfe"),
    "a broken domain": holding("domain.pddl", "(define (domain grippers) (:predicates (at ?b) (at ?b ?c)"),
    "another domain beside": copied("domain.pddl", "domain-old.pddl"),
}


def runs(world: object) -> bool:
    """Whether a run gets as far as its first question: every task is opened and all requests are made."""
    return main(["--env", str(world), "--method", "refine", "--model", "m", "--dry-run"]) == 0


def judged(world: object) -> list[str]:
    return [str(f) for f in findings_of(str(world)) if f.severity is Severity.ERROR]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    wide(
        CHANGES,
        *("no description", "no words", "words that are no JSON", "no first task", "no first text"),
        *("a wrong first text", "a broken second task", "a broken feedback task", "a broken example"),
        *("bytes that are no text", "a task that is no text", "a broken domain"),
    ),
)
def test_each_change_alone_is_an_error_if_and_only_if_no_run_works(name: str, folder: Path) -> None:
    CHANGES[name](folder)
    assert bool(judged(folder)) == (not runs(folder)), judged(folder)


@pytest.mark.parametrize("seed", wide(range(25), 0, 1))
def test_changes_together_are_errors_if_and_only_if_no_run_works(seed: int, folder: Path) -> None:
    drawn = random.Random(seed)
    names = drawn.sample(sorted(CHANGES), drawn.randint(2, 4))
    for name in names:
        CHANGES[name](folder)
    assert bool(judged(folder)) == (not runs(folder)), (names, judged(folder))


def test_changes_come_out_both_ways(folder: Path, tmp_path: Path) -> None:
    outcomes = set()
    for number, change in enumerate(list(CHANGES.values())[:4]):
        copy = tmp_path / str(number)
        shutil.copytree(folder, copy)
        change(copy)
        outcomes.add(bool(judged(copy)))
    assert outcomes == {True, False}


def test_files_that_no_run_reads_are_listed_in_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in (
        "a task with one digit",
        "a file that is no PDDL",
        "a broken task after a gap",
        "a feedback task",
    ):
        CHANGES[name](folder)
    assert ignored_in(str(folder)) == ["notes.pddl", "p07.pddl", "p3.nl", "p3.pddl"]
    assert worlds(["check", str(folder)]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("ignored")]
    assert len(lines) == 1 and "notes.pddl, p07.pddl, p3.nl, p3.pddl" in lines[0]
    assert ignored_in("grippers") == [] == ignored_in("pddlgym:blocks")


@pytest.mark.parametrize("stem", EXAMPLES)
def test_an_example_that_is_shown_is_judged_and_not_listed_as_ignored(stem: str, folder: Path) -> None:
    task("p01", stem)(folder)
    (folder / f"{stem}.lp").write_text("", encoding="utf-8")
    assert sources_of(str(folder)).example is not None and ignored_in(str(folder)) == []
    holding(f"{stem}.pddl", BROKEN)(folder)
    assert any(finding.place.startswith(f"{stem}.pddl") for finding in findings_of(str(folder)))


@pytest.mark.parametrize(
    "suffix",
    [
        *("", "+undocumented+compact"),
        *(pytest.param(f"+{suffix}", marks=pytest.mark.slow) for suffix in SUFFIXES),
    ],
)
@pytest.mark.parametrize("texts", ["all", "domain.nl", "p*.nl", "none"])
def test_texts_are_missed_where_a_run_of_that_name_needs_them(suffix: str, texts: str, folder: Path) -> None:
    for path in folder.glob("*.nl"):
        if texts != "all" and not path.match(texts):
            path.unlink()
    assert bool(judged(f"{folder}{suffix}")) == (not runs(f"{folder}{suffix}")), judged(f"{folder}{suffix}")
