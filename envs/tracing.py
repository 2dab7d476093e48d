"""A Gymnasium wrapper that keeps what is seen: every episode becomes a trace.

    env = TraceRecorder(gymnasium.make("groundwalk/Termes-v0"))
    ...                                   # reset and step as ever
    save_traces(Path("walks.jsonl.gz"), env.traces())

For an environment of another kind, say how to read it: `see(env)` gives the atoms that hold now, or a
`SeenState` if it is only seen in part; `say(env, action)` the text of an operator, `(move a b)`; `words` what
may be named; `objects(env)` the objects and their types. Whether an action was executed is read from
`info["executable"]` if it is there; else it was executed if the state changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import gymnasium as gym

from envs.pddl.language.domain import GroundAtom
from envs.pddl.language.operators import format_operator, parse_operator
from envs.pddl.language.vocabulary import Vocabulary
from envs.pddl.traces.trace import SeenState, Step, Trace, Traces, trace_of, vocabulary_of

See = Callable[[gym.Env[Any, Any]], "frozenset[GroundAtom] | SeenState"]
Say = Callable[[gym.Env[Any, Any], Any], str]


class TraceRecorder(gym.Wrapper[Any, Any, Any, Any]):
    """Keeps the steps of all episodes; changes nothing of what the environment says."""

    def __init__(
        self,
        env: gym.Env[Any, Any],
        *,
        words: Vocabulary | None = None,
        see: See | None = None,
        say: Say | None = None,
        objects: Callable[[gym.Env[Any, Any]], Mapping[str, str]] | None = None,
    ):
        super().__init__(env)
        self._words, self._see, self._say = words, see or _facts, say or _operator
        self._objects = objects or _objects
        self._done: list[Trace] = []
        self._states: list[SeenState] = []
        self._steps: list[Step] = []

    def reset(self, **options: Any) -> tuple[Any, dict[str, Any]]:
        """Begin another trace, which ends the one before."""
        self._end()
        observation, info = self.env.reset(**options)
        self._states = [self._seen()]
        return observation, info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """A step of the environment, which is kept, unless the operator is none that could be named."""
        said = self._say(self.env, action)
        result = self.env.step(action)
        after, info = self._seen(), result[4]
        executable = bool(info.get("executable", after != self._states[-1]))
        before = len(self._states) - 1
        if executable:
            self._states.append(after)
        elif str(info.get("reason")) in ("unknown_name", "wrong_arity"):
            return result
        self._steps.append(Step(said, executable, before, before + 1 if executable else None))
        return result

    def traces(self) -> Traces:
        """All episodes so far, the one that is under way included."""
        words = self._words or vocabulary_of(self.env.get_wrapper_attr("world"))
        running = (self._trace(),) if self._steps else ()
        return Traces(words, (*self._done, *running))

    def _seen(self) -> SeenState:
        seen = self._see(self.env)
        return seen if isinstance(seen, SeenState) else SeenState(frozenset(seen))

    def _trace(self) -> Trace:
        return trace_of(f"episode-{len(self._done) + 1}", self._objects(self.env), self._states, self._steps)

    def _end(self) -> None:
        if self._steps:
            self._done.append(self._trace())
        self._steps = []


def _facts(env: gym.Env[Any, Any]) -> frozenset[GroundAtom]:
    facts: frozenset[GroundAtom] = env.get_wrapper_attr("facts")
    return facts


def _objects(env: gym.Env[Any, Any]) -> Mapping[str, str]:
    objects: Mapping[str, str] = env.get_wrapper_attr("world").objects
    return objects


def _operator(env: gym.Env[Any, Any], action: Any) -> str:
    """The operator's text, whichever interface the environment has; empty for what is none."""
    text = action if isinstance(action, str) else env.get_wrapper_attr("operators")[int(action)]
    try:
        return format_operator(*parse_operator(text))
    except ValueError:
        return ""
