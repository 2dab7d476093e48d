"""`check` on rules: those of the built-in worlds pass, and what is broken is found in its file."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from wide import wide

from envs.intermediate.implied import IMPLIED
from envs.intermediate.knowledge import EXAMPLE_IR, RULES, worlds_with_rules
from envs.registry import WORLDS_FOLDER
from experiments.worlds.__main__ import main
from experiments.worlds.check import check_rules, findings_of

Change = Callable[[Path], object]


@pytest.fixture
def termes(tmp_path: Path) -> Path:
    """A folder with a world that has rules."""
    for name in ("domain.pddl", "domain.nl", "words.json", RULES, EXAMPLE_IR, "example.pddl"):
        shutil.copyfile(WORLDS_FOLDER / "termes" / name, tmp_path / name)
    return tmp_path


def _added(name: str, text: str) -> Change:
    return lambda folder: (folder / name).write_text(
        (folder / name).read_text(encoding="utf-8") + text, encoding="utf-8"
    )


def _removed(name: str) -> Change:
    return lambda folder: (folder / name).unlink()


@pytest.mark.parametrize("world", wide(worlds_with_rules(), "blocksworld", "floortile", "miconic"))
def test_the_rules_of_built_in_worlds_have_nothing_to_mend(world: str) -> None:
    assert check_rules(WORLDS_FOLDER / world) == []


def test_a_world_without_rules_is_not_asked_for_them(termes: Path) -> None:
    (termes / RULES).unlink()
    (termes / EXAMPLE_IR).unlink()
    (termes / "example.pddl").unlink()
    assert check_rules(termes) == []


def test_an_example_may_name_its_objects_as_it_likes(termes: Path) -> None:
    program = (termes / EXAMPLE_IR).read_text(encoding="utf-8").replace("pos_", "cell_")
    (termes / EXAMPLE_IR).write_text(program, encoding="utf-8")
    assert check_rules(termes) == []


@pytest.mark.parametrize(
    ("change", "place", "words"),
    [
        (_removed("example.pddl"), EXAMPLE_IR, "belongs to no example"),
        (_added(RULES, "init(at(X)) :- object(X, position)\n"), f"{RULES}:", "syntax"),
        (_added(RULES, '#include "other.lp".\n'), f"{RULES}:", "include"),
        (_added(RULES, ":- init(at(_)).\n"), EXAMPLE_IR, "is broken"),
        (_added(EXAMPLE_IR, "at(pos_0_0).\n"), EXAMPLE_IR, "write init(at(...))"),
        (_added(EXAMPLE_IR, "init(has_block).\n"), EXAMPLE_IR, "not the problem of example.pddl"),
        (_added(EXAMPLE_IR, "goal(at(pos_0_0)).\n"), EXAMPLE_IR, "is not the problem of example.pddl"),
        (_added(EXAMPLE_IR, "object(pos_7_7, position).\n"), EXAMPLE_IR, "cardinality(position, 9)"),
    ],
)
def test_each_fault_is_found_in_its_file(termes: Path, change: Change, place: str, words: str) -> None:
    change(termes)
    (finding, *_) = check_rules(termes)
    assert finding.place.startswith(place) and words in str(finding), str(finding)


@pytest.mark.parametrize("name", [RULES, EXAMPLE_IR])
def test_what_is_not_there_is_taken_from_the_world_that_declares_the_same_or_made(
    termes: Path, name: str
) -> None:
    (termes / name).unlink()
    assert check_rules(termes) == []


def test_check_tells_of_rules_once_the_domain_can_be_read(
    termes: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _added(RULES, ":- init(at(_)).\n")(termes)
    assert main(["check", str(termes)]) == 1
    assert "error: example.lp" in capsys.readouterr().out
    (termes / "domain.pddl").write_text("(define (domain", encoding="utf-8")
    assert not any(EXAMPLE_IR in finding.place for finding in findings_of(str(termes)))


@pytest.mark.parametrize(
    ("declared", "words"),
    [
        ('{"facts": [{"fact": "at ?p", "when": ["is-depot ?p"]}]}', "follow, which is not so in the task"),
        (
            '{"facts": [{"fact": "is-depot ?p", "when": ["is-depot ?p"]}]}',
            "is not the problem of the example",
        ),
        ('{"rules": []}', "unknown field `rules`"),
    ],
)
def test_declarations_that_the_rules_do_not_keep_are_found(termes: Path, declared: str, words: str) -> None:
    (termes / IMPLIED).write_text(declared, encoding="utf-8")
    (finding,) = check_rules(termes)
    assert finding.place == IMPLIED and words in finding.message
