"""Every example runs, in its smallest size, as a user would run it."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from agents.llm.interface import Message
from agents.llm.scripted import ScriptedModel
from agents.llm.stub import StubServer
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.simulation.compile import compile_task
from envs.world import open_world
from ew.counterexample.disagreement import first_disagreement

EXAMPLES = Path(__file__).parent.parent / "examples"


@pytest.fixture(autouse=True)
def on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """As `python examples/NAME.py` puts it there."""
    monkeypatch.syspath_prepend(str(EXAMPLES))


def test_every_example_is_run_here() -> None:
    tests = Path(__file__).read_text(encoding="utf-8")
    names = {path.stem for path in EXAMPLES.glob("*.py")} - {"episode"}
    assert len(names) == 5
    assert [name for name in sorted(names) if f"from {name} import" not in tests] == ["random_agent"]


def test_an_example_runs_as_a_script_of_its_own(tmp_path: Path) -> None:
    command = [sys.executable, str(EXAMPLES / "random_agent.py"), "groundwalk/Blocksworld-v0", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert re.fullmatch(r"Episode\(steps=\d+, refused=0, solved=(True|False)\)\n", done.stdout)


def test_the_random_agent_is_as_short_as_it_is_said_to_be() -> None:
    tree = ast.parse((EXAMPLES / "random_agent.py").read_text(encoding="utf-8"))
    statements = [n for n in ast.walk(tree) if isinstance(n, ast.stmt)]
    assert len(statements) <= 28  # docstrings included


def test_q_learning_ends_with_a_shortest_plan_and_says_the_same_twice(
    capsys: pytest.CaptureFixture[str],
) -> None:
    from q_learning import main

    printed = []
    for _ in range(2):
        learned = main(["--episodes", "200", "--seed", "1"])
        assert learned.solved and learned.steps == 6  # there, two picks, on, two drops
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]
    curve = [float(steps) for steps in re.findall(r"([\d.]+) steps  ", printed[0])]
    assert len(curve) == 10 and curve[-1] < curve[0] / 4


def test_q_learning_never_takes_an_action_that_the_mask_forbids(tmp_path: Path) -> None:
    from q_learning import small_task, train

    curve, learned = train(small_task(tmp_path), episodes=20, seed=3)
    assert all(episode.refused == 0 for episode in (*curve, learned))


def test_a_model_of_a_simulator_is_learned_and_its_plans_work_there(
    capsys: pytest.CaptureFixture[str],
) -> None:
    from simulator import main

    assert main([]) == [1.0, 1.0, 1.0]
    assert "at random: 200 steps" in capsys.readouterr().out


def test_a_world_of_ones_own_is_scored_and_the_models_mistake_is_found(
    capsys: pytest.CaptureFixture[str],
) -> None:
    from own_world import main

    score, difference = main()
    assert score.forward == 1.0 and score.score is not None and 0.0 < score.score < 1.0
    assert difference is not None and difference.failing.startswith("(put ")
    assert "refused=0" in capsys.readouterr().out


def test_a_world_of_ones_own_is_what_its_right_model_says() -> None:
    from own_world import DOMAIN, PROBLEM, Locker, open_locker

    wrong, needed = "(not (inside ?b)) :effect (inside", "(and (is-open) (not (inside ?b))) :effect (inside"
    assert DOMAIN.count(wrong) == 1
    right = DOMAIN.replace(wrong, needed)
    model = compile_task(read_problem(PROBLEM, read_domain(right)))
    assert first_disagreement(Locker(), model, np.random.default_rng(1)) is None
    plan = ("(open)", "(put red)", "(put blue)", "(shut)")
    assert open_locker(1).verify(plan).valid
    with pytest.raises(LookupError):
        open_locker(2)


# --- the language model as an agent ---

PLAN = (
    "(move robot1 room1 room2)",
    "(pick robot1 ball1 room2 lgripper1)",
    "(pick robot1 ball2 room2 rgripper1)",
    "(move robot1 room2 room3)",
    "(drop robot1 ball1 room3 lgripper1)",
    "(drop robot1 ball2 room3 rgripper1)",
)


def _by_rote(messages: Sequence[Message], index: int, seed: int) -> str:
    """The next step of PLAN, by how many were done; a step that is not possible is thought of on the way."""
    turn = messages[-1].content
    done = re.search(r"Done so far: (.*)", turn)
    assert done is not None and messages[0].role == "system"
    step = PLAN[done[1].count("(")]
    assert step in turn.partition("Possible steps:")[2]
    return f"The balls are far: (drop robot1 ball1 room1 lgripper1) is too early.\n**{step.upper()}**"


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """The small grippers task as a folder."""
    from q_learning import small_task

    world = tmp_path / "small"
    world.mkdir()
    small_task(world)
    return str(world)


def test_without_flags_the_recorded_language_model_solves_its_task(
    capsys: pytest.CaptureFixture[str],
) -> None:
    from llm_agent import main

    assert main([]) == 0
    assert "solved=True" in capsys.readouterr().out


def test_the_language_model_solves_a_task_live_and_its_recording_replays_it(
    folder: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from llm_agent import main

    recording = str(tmp_path / "answers.jsonl")
    with StubServer(_by_rote) as stub:
        assert main(["--base-url", stub.url, "--env", folder, "--save", recording]) == 0
        assert stub.seen.requests == len(PLAN)
    live = capsys.readouterr().out
    assert live == "Episode(steps=6, refused=0, solved=True)\n"
    assert main(["--recording", recording, "--env", folder]) == 0
    assert capsys.readouterr().out == live


def test_a_recording_of_something_else_ends_in_one_line_that_says_so(
    folder: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from llm_agent import main

    recording = str(tmp_path / "answers.jsonl")
    with StubServer(_by_rote) as stub:
        main(["--base-url", stub.url, "--env", folder, "--save", recording])
    assert main(["--recording", recording, "--env", "termes"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("error:") and "no recorded request has these messages" in said
    with pytest.raises(SystemExit):
        main(["--recording", recording, "--model", "another"])


def test_answers_without_a_possible_step_are_refused_and_told_to_the_model(folder: str) -> None:
    from llm_agent import play

    turns: list[str] = []

    def confused(messages: Sequence[Message], index: int, seed: int) -> str:
        turns.append(messages[-1].content)
        return ("I give up.", "(drop robot1 ball1 room1 lgripper1)", "(()")[len(turns) - 1]

    (episode,) = play(ScriptedModel(confused), folder, problem=1, episodes=1, steps=3)
    assert (episode.steps, episode.refused, episode.solved) == (3, 3, False)
    assert "Done so far: nothing" in turns[0]
    assert "(no step) was not possible, (drop robot1 ball1 room1 lgripper1) was not possible" in turns[2]


def test_a_worlds_description_and_task_reach_the_language_model() -> None:
    from llm_agent import play

    told: list[str] = []

    def listener(messages: Sequence[Message], index: int, seed: int) -> str:
        told.extend(m.content for m in messages)
        return "nothing"

    play(ScriptedModel(listener), "termes", problem=1, episodes=1, steps=1)
    world = open_world("termes")
    assert world.description in told[0] and world.task in told[1] and world.describe() in told[1]
