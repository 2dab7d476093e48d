"""What is found out about a world without files by acting in it: a package's, or a simulator.

Random walks are drawn in it and repeated in a second one that is opened anew. Two equal walks that differ
mean that the world is not deterministic: it is refused, with the walk. Beside that it is looked at whether
operators run if and only if they are listed as applicable, whether equal facts go with equal operators and
lead to equal facts, and what an operator costs.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from envs.adapters.gym_world import NotDeterministic
from envs.pddl import interface
from envs.pddl.enumeration import members_by_type
from envs.pddl.interface import CountsSteps, ShowsStates, World
from envs.pddl.language.operators import format_operator
from envs.pddl.language.vocabulary import members_of
from envs.world import open_world
from ew.walks.adapter import applicable_in
from experiments.config import ConfigError
from experiments.runs.seeds import stream
from experiments.worlds.findings import Finding, error, warning

_WALKS, _STEPS = 3, 40
#: In each state, so many operators are tried beside those that were listed before.
_DRAWN = 20
#: What a world may offer, and what it is good for.
_OPTIONAL = {
    "Steps": "walks go on", "Snapshots": "states are kept", "Forks": "it can be copied",
    "ListsHere": "it lists what may run now", "Fingerprints": "states are told apart",
    "ShowsStates": "facts: `run learn` and methods that learn work", "BatchedWorld": "walks in batches",
}  # fmt: skip


class PluginCheck:
    """One task of a world, acted in. `findings` first; what else is to be said follows in `told`."""

    def __init__(self, world: str, task: int | str = 1):
        self._name, self._task = world, task
        self.told: list[str] = []
        self._worlds: list[World] = []

    def findings(self) -> list[Finding]:
        """What is wrong. Raises ConfigError if the world is not deterministic, and as `open_world`."""
        world = self._opened()
        rng = stream(0, "check of a world", world.name)
        found = list(self._lacking(world))
        members, ran = members_by_type(world), list[int]()
        for number in range(_WALKS):
            seen = _Looked(world, members, rng)
            try:
                for each in seen.walk():
                    if each not in found:
                        found.append(each)
                self._repeated(seen, number)
                ran.append(len(seen.taken))
            except NotDeterministic as fault:
                raise ConfigError(str(fault)) from fault
            except ValueError as fault:  # a walk that ran is refused
                message = f"{world.name} is not deterministic, or its facts are wrong: {fault}"
                raise ConfigError(message) from fault
        if not any(ran):
            fix = "let the function that carries operators out return True where it did"
            found.append(error(world.name, "no operator ran in any walk", fix))
        offered = [f"{n} ({use})" for n, use in _OPTIONAL.items() if isinstance(world, getattr(interface, n))]
        self.told.append(f"offers: {', '.join(offered) or 'the World surface alone, so walks are run again'}")
        self.told += [f"the check took {took}"] if (took := work_of(*self._worlds)) else []
        return found

    def _opened(self) -> World:
        self._worlds.append(open_world(self._name, self._task))
        return self._worlds[-1]

    def _lacking(self, world: World) -> Iterator[Finding]:
        if not world.description:
            yield warning(self._name, "it has no description: no language model can model it",
                          f"let it return one, or name it {self._name}+undocumented")  # fmt: skip
        if not world.task:
            yield warning(self._name, "its task has no text: no language model can be asked about it")

    def _repeated(self, first: _Looked, number: int) -> None:
        """The walk again in another world of that name. Raises ConfigError if it goes otherwise."""
        second, walk = self._opened(), first.taken
        started, before = time.perf_counter(), _steps(second)
        ran = second.executable(walk).steps
        each = (time.perf_counter() - started) / max(len(walk), 1)
        cost = _cost(each, before, _steps(second), len(walk))
        shown = [first.facts_of(second, walk[:k]) for k in range(ran + 1)]
        alike = next(
            (k for k, pair in enumerate(zip(shown, first.shown, strict=False)) if pair[0] != pair[1]), ran
        )
        if alike < len(walk) or shown != first.shown:
            raise ConfigError(
                f"{self._name} is not deterministic: two equal walks differ from step {alike} on; scoring "
                f"under noise is not supported. The walk: {' '.join(walk[: max(alike, 1)]) or 'none'}"
            )
        if number == _WALKS - 1:
            self.told.append(f"deterministic: {_WALKS} walks went alike in worlds that were opened anew")
            self.told.append(f"an operator costs {cost}; a state with all that may run, {first.cost}")


class _Looked:
    """One random walk in a world, and what was seen on it."""

    def __init__(self, world: World, members: Mapping[str, tuple[str, ...]], rng: np.random.Generator):
        self._world, self._members, self._rng = world, members, rng
        self.taken: tuple[str, ...] = ()
        self.shown = [self.facts_of(world, ())]
        self.cost = ""
        self._known: set[str] = set()

    @staticmethod
    def facts_of(world: World, walk: Sequence[str]) -> object:
        """What a state is compared by: its facts, or what may run in it."""
        return world.facts(walk) if isinstance(world, ShowsStates) else applicable_in(world, walk)

    def walk(self) -> Iterator[Finding]:
        """Walk until nothing may run; what is wrong on the way."""
        listed_by: dict[object, tuple[str, ...]] = {}
        led_to: dict[tuple[object, str], object] = {}
        started, before, states = time.perf_counter(), _steps(self._world), 0
        while len(self.taken) < _STEPS:
            listed = applicable_in(self._world, self.taken)
            states += 1
            yield from self._stated(self.shown[-1])
            yield from self._tried(listed)
            if not (running := [each for each in listed if self._runs(each)]):
                break
            operator = running[int(self._rng.random() * len(running))]
            key = self.shown[-1]
            self.taken = (*self.taken, operator)
            self.shown.append(self.facts_of(self._world, self.taken))
            if isinstance(self._world, ShowsStates):
                yield from self._unfit(listed_by.setdefault(key, listed) == listed, "what may run")
                after = self.shown[-1]
                yield from self._unfit(led_to.setdefault((key, operator), after) == after, operator)
        each = (time.perf_counter() - started) / max(states, 1)
        self.cost = _cost(each, before, _steps(self._world), states)

    def _stated(self, facts: object) -> Iterator[Finding]:
        """Whether facts name declared predicates and objects, as many and of the types that are declared."""
        declared = getattr(self._world, "predicates", None)
        if declared is None or not isinstance(facts, frozenset):
            return
        world = self._world.name
        for name, *arguments in sorted(facts):
            text, kinds = f"({' '.join((name, *arguments))})", [kind for _, kind in declared.get(name, ())]
            if name not in declared or len(arguments) != len(kinds):
                yield error(world, f"the fact {text} fits no predicate", "declare one with its parameters")
                continue
            for argument, kind in zip(arguments, kinds, strict=True):
                if not any(argument in self._members.get(one, ()) for one in members_of(kind)):
                    message = f"{argument} in the fact {text} is no object of type {kind}"
                    yield error(world, message, "add it to the objects, or widen the predicate's type")

    def _unfit(self, fits: bool, what: str) -> Iterator[Finding]:
        if not fits:
            message = f"equal facts, but {what} differs: the facts leave out what matters"
            yield error(self._world.name, message, "add it to them, or learned and repaired models are wrong")

    def _tried(self, listed: tuple[str, ...]) -> Iterator[Finding]:
        """Whether what is listed runs, and some of all else does not and changes nothing."""
        name, after = self._world.name, f"after: {' '.join(self.taken) or 'nothing'}"
        for operator in listed:
            if not self._runs(operator):
                yield error(name, f"{operator} is listed as applicable, and refused {after}")
        for operator in {*self._known, *self._drawn()}.difference(listed):
            if self._runs(operator):
                yield error(name, f"{operator} runs, and is not listed as applicable {after}")
        self._known.update(listed)
        if self.facts_of(self._world, self.taken) != self.shown[-1]:
            yield error(name, f"an operator that was refused changed the state {after}")

    def _runs(self, operator: str) -> bool:
        return self._world.executable((*self.taken, operator)).refusal is None

    def _drawn(self) -> Iterator[str]:
        """Some operators, whatever is listed."""
        for _ in range(_DRAWN):
            action = self._world.actions[int(self._rng.random() * len(self._world.actions))]
            columns = [self._members[p.type] for p in action.parameters]
            if all(columns):
                chosen = (names[int(self._rng.random() * len(names))] for names in columns)
                yield format_operator(action.name, tuple(chosen))


def work_of(*worlds: World) -> str:
    """What simulators did since their worlds were opened, of worlds that count it; empty if none does."""
    counting = [world for world in worlds if isinstance(world, CountsSteps)]
    steps, resets = (sum(getattr(w, f"simulator_{each}") for w in counting) for each in ("steps", "resets"))
    return f"{steps:,} simulator steps, {resets:,} resets" if counting else ""


def _cost(seconds: float, before: int | None, after: int | None, count: int) -> str:
    """Milliseconds, and simulator steps where they are counted, of each of `count`."""
    made = (
        ""
        if before is None or after is None
        else f" and {(after - before) / max(count, 1):.1f} simulator steps"
    )
    return f"{seconds * 1000:.2f} ms{made}"


def _steps(world: World) -> int | None:
    """How many steps a simulator has made, if the world counts them."""
    steps: int | None = getattr(world, "simulator_steps", None)
    return steps
