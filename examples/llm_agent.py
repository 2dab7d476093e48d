"""A language model as an agent: it reads the task and the state, and names one operator at a time.

    python examples/llm_agent.py                 # replays the recording beside it: no key, no network
    python examples/llm_agent.py --base-url http://localhost:8000/v1 --model NAME     # live

Live, `--save FILE.jsonl` keeps the answers as a recording that replays the same episodes. Recorded answers
fit the flags they were recorded with: --env, --problem, --episodes and --steps.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gymnasium
from episode import Episode, run_episode
from gymnasium.wrappers import TimeLimit

from agents.llm.client import OpenAIModel
from agents.llm.endpoint import Endpoint
from agents.llm.errors import LLMError
from agents.llm.interface import DescribedModel, LanguageModel, Message
from agents.llm.journal import Journal
from agents.llm.journaled import JournaledModel
from agents.llm.recording import RecordedModel, export_jsonl, load_recording
from envs.environment import open_environment
from envs.pddl.interface import World
from envs.pddl.language.operators import format_operator, parse_operator

SYSTEM = """You act in an environment, one step at a time, to complete a task.

{description}

Each time you are told what you have done so far, the state of the environment, and every step that is
possible now. Think briefly about what is still missing, then end your answer with one of the possible steps,
alone on the last line, exactly as it is listed."""

TURN = """Task: {task}

Done so far: {done}

State now:
{state}

Possible steps:
{possible}

Your next step?"""

RECORDING = Path(__file__).with_name("llm_agent.jsonl")

_OPERATOR = re.compile(r"\([^()]*\)")


class LLMAgent:
    """Asks the model for every step; an answer without a step is an empty one, which the world refuses."""

    def __init__(self, model: LanguageModel, world: World, seed: int):
        self._model, self._world, self._seed = model, world, seed
        self._done: list[str] = []

    def act(self, observation: str, info: dict[str, Any]) -> str:
        """The model's choice. Raises LLMError if there is no answer at all."""
        turn = TURN.format(
            task=self._world.task,
            done=" ".join(self._done) or "nothing",
            state=observation,
            possible="\n".join(info["applicable"]),
        )
        messages = (
            Message("system", SYSTEM.format(description=self._world.description)),
            Message("user", turn),
        )
        (completion,) = self._model.sample(messages, 1, 0.0, self._seed)
        return chosen(completion.text, info["applicable"])

    def learn(self, observation: str, info: dict[str, Any], action: str, reward: float, final: bool) -> None:
        """Remember what was done, also what was refused: the next question is to differ from the last."""
        self._done.append(action if info["executable"] else f"{action or '(no step)'} was not possible,")


def chosen(reply: str, applicable: Sequence[str]) -> str:
    """The last possible step in a reply; without one, the last that looks like a step; else nothing."""
    named = []
    for text in _OPERATOR.findall(reply):
        try:
            named.append(format_operator(*parse_operator(text)))
        except ValueError:
            continue
    possible = [operator for operator in named if operator in applicable]
    return (possible or named or [""])[-1]


def play(model: LanguageModel, env_name: str, problem: int, episodes: int, steps: int) -> list[Episode]:
    """Episodes of one problem, each with samples of its own, printed as they end."""
    env: gymnasium.Env[Any, Any] = TimeLimit(open_environment(env_name, problem), max_episode_steps=steps)
    done = []
    for seed in range(episodes):
        done.append(run_episode(env, LLMAgent(model, env.unwrapped.world, seed), seed))  # type: ignore[attr-defined]
        print(done[-1])
    return done


def options(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The flags; without any, the recording beside this file answers. Exits if two are to answer."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--env", default="grippers", help="a world's name, or a path to a folder")
    parser.add_argument("--problem", type=int, default=1)
    parser.add_argument("--episodes", type=int, default=1)
    parser.add_argument("--steps", type=int, default=40, help="time limit of an episode")
    parser.add_argument("--recording", help="answers recorded before")
    parser.add_argument("--base-url", help="an OpenAI-compatible server, http://host:port/v1")
    parser.add_argument("--model", help="live: the model's name")
    parser.add_argument("--save", help="live: keep the answers in this file, .jsonl or .jsonl.gz")
    given = parser.parse_args(arguments)
    live = given.base_url is not None or given.model is not None
    if given.recording is not None and live:
        parser.error("say who answers: --recording FILE, or --base-url URL and --model NAME")
    if not live and given.recording is None:
        given.recording = str(RECORDING)
    return given


def main(arguments: Sequence[str] | None = None) -> int:
    """Play; exit code 0 if the last episode was solved, 1 if not, 2 if nobody answered."""
    given = options(arguments)
    try:
        model = open_model(given.recording, given.base_url, given.model)
        with (
            tempfile.TemporaryDirectory(prefix="groundwalk-llm-") as folder,
            Journal(Path(folder) / "calls.sqlite") as journal,
        ):
            asked = JournaledModel(model, journal)
            played = play(asked, given.env, given.problem, given.episodes, given.steps)
            if given.save:
                export_jsonl(journal, given.save, {"env": given.env, "problem": given.problem})
    except LLMError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0 if played and played[-1].solved else 1


def open_model(recording: str | None, base_url: str | None, name: str | None) -> DescribedModel:
    """Who answers: a recording, or a live endpoint, which is asked for its first model if none is named."""
    if recording is not None:
        return RecordedModel(load_recording(recording))
    if name is None:
        name = next(iter(OpenAIModel(Endpoint("unnamed", base_url=base_url)).models()), "unnamed")
    return OpenAIModel(Endpoint(name, base_url=base_url))


if __name__ == "__main__":
    sys.exit(main())
