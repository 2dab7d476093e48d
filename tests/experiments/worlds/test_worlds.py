"""The worlds on the command line: the table, the texts of one, tasks made anew and tasks on demand."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from envs.intermediate.knowledge import read_knowledge
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.reference import ReferenceSimulator
from envs.registry import WORLDS_FOLDER
from envs.shipping import SHIPPED
from envs.source import read_texts
from envs.world import open_world
from experiments.worlds import listing as worlds_list
from experiments.worlds.__main__ import main
from experiments.worlds.listing import mean_branching, overview, plan_lengths


def test_without_a_command_the_worlds_are_listed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(worlds_list, "worlds", lambda: ("movie", "grippers"))
    assert main([]) == 0
    out = capsys.readouterr().out
    rows = [line.split() for line in out.splitlines() if line.split()[:1] in (["grippers"], ["movie"])]
    assert [row[0] for row in rows] == ["grippers", "movie"]
    assert rows[0][1:6] == ["4", "4", "3", "90", "–"]
    assert "+anonymised" in out
    assert main(["list"]) == 0 and capsys.readouterr().out == out


def test_a_world_that_is_not_whole_is_listed_with_what_it_lacks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(worlds_list, "worlds", lambda: ("movie", "absent"))
    assert main(["list"]) == 1
    out = capsys.readouterr().out
    assert " movie " in out and "absent: there is no world 'absent'" in out


def test_the_figures_are_those_of_the_files() -> None:
    found = overview("grippers")
    record = json.loads((WORLDS_FOLDER / "grippers" / "solved.json").read_text(encoding="utf-8"))
    lengths = [entry["length"] for stem, entry in record.items() if stem.startswith("p")]
    assert found.plans == (min(lengths), max(lengths)) == plan_lengths("grippers")
    assert found.tasks == len(SHIPPED)
    assert found == overview("grippers")


def test_branching_is_the_mean_over_the_states_that_walks_meet() -> None:
    # one switch after another: 3, 2, 1 and 0 choices, whatever the walk
    domain = read_domain("""(define (domain d) (:predicates (off ?x))
      (:action switch :parameters (?x) :precondition (off ?x) :effect (not (off ?x))))""")
    problem = read_problem(
        """(define (problem p) (:domain d) (:objects a b c)
        (:init (off a) (off b) (off c)) (:goal (not (off a))))""",
        domain,
    )
    simulator, state, counts = ReferenceSimulator(problem), ReferenceSimulator(problem).initial(), []
    while choices := simulator.applicable(state):
        counts.append(len(choices))
        state = simulator.successor(state, choices[0])
    mean = mean_branching(compile_task(problem), np.random.default_rng(0))
    assert mean == pytest.approx(np.mean([*counts, 0]))


def test_show_prints_the_texts_that_a_model_gets_and_every_level(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "termes", "--task", "f02"]) == 0
    out = capsys.readouterr().out
    world = open_world("termes", "f02")
    assert world.description in out and world.describe() in out
    assert all(str(action) in out for action in world.actions)
    for level in ("explicit", "compact", "narrative"):
        assert read_texts(f"termes+{level}", "f02").task in out


def test_show_prints_one_level_of_any_variant_and_task(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "grippers+anonymised", "--task", "g12", "--level", "compact"]) == 0
    out = capsys.readouterr().out
    assert read_texts("grippers+anonymised+compact", "g12").task in out
    assert "ball" not in out and out.count("── task g12") == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["show", "gripers"], "did you mean grippers"),
        (["show", "grippers", "--task", "77"], "p77"),
        (["show", "grippers+compact", "--level", "explicit"], "asks for the level compact"),
        (["show", "grippers+compact+explicit"], "one level"),
        (["make", "nowhere"], "unknown built-in world"),
        (["make", "movie", "--count", "2"], "--out DIR"),
        (["make", "movie", "--count", "0", "--out", "x"], "must be positive"),
        (["make", "movie", "--out", "."], "not empty"),
        (["check", "nowhere"], "unknown environment"),
        (["check", "no/where"], "unknown environment 'no/where': there is no such folder"),
    ],
)
def test_what_cannot_be_meant_is_one_line_and_exit_code_2(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert words in error and error.startswith("error: ") and error.count("\n") == 1


def test_show_says_which_words_do_not_fit(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = {"predicates": {"at": {"positive": "{0} is in {2}", "negative": "{0} is elsewhere"}}}
    (folder / "words.json").write_text(json.dumps(words), encoding="utf-8")
    assert main(["show", str(folder)]) == 2
    assert "slot too many" in capsys.readouterr().err


@pytest.mark.slow  # test_worlds_suite has every shipped task drawn again
def test_the_shipped_tasks_are_made_again_byte_by_byte_as_a_world_of_its_own(tmp_path: Path) -> None:
    made = tmp_path / "made"
    assert main(["make", "blocksworld", "--out", str(made)]) == 0
    shipped = {path.name: path.read_bytes() for path in (WORLDS_FOLDER / "blocksworld").iterdir()}
    assert {name: (made / name).read_bytes() for name in shipped} == shipped
    assert open_world(str(made), 3).task == open_world("blocksworld", 3).task
    assert main(["check", str(made)]) == 0


def test_a_terse_world_that_is_made_has_the_ir_of_its_terse_example(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "experiments.worlds.make.record_solutions", lambda *_, **__: {}
    )  # planning takes long
    made = tmp_path / "made"
    assert main(["make", "miconic", "--level", "terse", "--out", str(made)]) == 0
    known = read_knowledge(str(made))
    assert known.example_task == read_texts("miconic+terse", "example").task
    assert known.example_ir == read_knowledge("miconic+terse").example_ir
    assert known.example_ir != read_knowledge("miconic").example_ir


def test_tasks_on_demand_make_a_world(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folders = [tmp_path / name for name in ("small", "large")]
    for folder, count in zip(folders, ("3", "12"), strict=True):
        assert main(["make", "barman", "--count", count, "--level", "narrative", "--out", str(folder)]) == 0
    for path in folders[0].iterdir():
        assert path.read_bytes() == (folders[1] / path.name).read_bytes()
    world = open_world(str(folders[1]), 12)
    assert world.task == open_world("barman+narrative", "g12").task
    assert world.applicable() == open_world("barman", "g12").applicable()
    assert main(["check", str(folders[0])]) == 0
    assert "nothing to fix" in capsys.readouterr().out


def test_show_says_the_rules_in_words_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "logistics"]) == 0
    out = capsys.readouterr().out
    assert "It can be done when A lies at C; and B is parked at C." in out
    assert main(["show", "logistics+anonymised"]) == 0
    assert capsys.readouterr().out.count("Nothing else changes.") == 6
