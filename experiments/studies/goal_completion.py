"""Do completed goals hold what they say? `python -m experiments.studies.goal_completion [worlds|pairs]`

`worlds`: random goals of a small task of every world, completed from invariants and few reached states,
against a list of all reachable states. Printed are how many are exact, of how many the invariants'
consequences are complete, and how many took too long; anything wrong makes the exit code 1.

`pairs`: generated pairs of Blocksworld and Gripper problems, compared by the exact rules and without them.

What a goal implies is read off the list of all reachable states: slow and obvious, it shares nothing with
invariants, rules or certificates.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import tyro
from numpy.typing import NDArray
from rich.box import SIMPLE
from rich.table import Table

from envs.pddl.equivalence.compare import Verdict, compare
from envs.pddl.equivalence.goals.consequences import SolvingTooLong
from envs.pddl.equivalence.goals.derive import Derivation, Means, specify_by_rules
from envs.pddl.equivalence.goals.goal import Exactness, Goal, read_goal
from envs.pddl.language.domain import GroundAtom, Problem, read_domain, read_problem
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.simulator import PackedStates, Task
from envs.source import read_texts
from envs.tasks import TaskFacts, generator_module, problem_text
from experiments.driver.command import run_command
from experiments.driver.console import wide_console
from experiments.runs.seeds import stream

#: World → a size that has at most some 2,000 reachable states.
SMALL_SIZES: Mapping[str, Mapping[str, Any]] = {
    "barman": {"cocktails": 1, "ingredients": 2, "shots": 1},
    "blocksworld": {"blocks": 4},
    "blocksworld_ood": {"blocks": 4},
    "childsnack": {"children": 2, "allergic": 1, "trays": 1, "spare": 0, "tables": 1},
    "depot": {},
    "dimhollow": {"tenders": 1, "motes": 1, "hollows": 3, "loops": 0, "steps": 6},
    "driverlog": {},
    "floortile": {"rows": 2, "columns": 2, "robots": 1, "painted_rows": 1},
    "gripper": {"rooms": 2, "balls": 3, "grippers": 2},
    "grippers": {"robots": 1, "rooms": 2, "balls": 3},
    "grippers_ood": {"robots": 1, "rooms": 2, "balls": 2},
    "hiking": {},
    "household": {"chores": 1, "stores": 2, "clutter": 0, "hard": False},
    "logistics": {"cities": 2, "locations": 2, "planes": 1, "packages": 1},
    "miconic": {"floors": 4, "passengers": 3},
    "miconic_ood": {"floors": 4, "passengers": 3},
    "minecraft": {},
    "movie": {},
    "storage": {},
    "termes": {"columns": 2, "rows": 2, "max_height": 2, "towers": (1,)},
    "tyreworld": {"hubs": 1, "flats": 1},
    "urnsong": {"vaults": 2, "urns": 2, "pitches": 3, "chanters": 1, "sealed": 0, "goals": 1},
}
_BATCH = 256
#: States that may be seen, fewer than there are: or nothing would be left to invariants.
_FEW_STATES = 60
#: Pairs that are made of one initial state.
_PAIRS_A_STATE = 10
GENERIC = Means(by_rules=False, planner=None)


@dataclass(frozen=True)
class Study:
    """Check completed goals against slower ways to know them."""

    what: tyro.conf.Positional[Literal["worlds", "pairs"]] = "worlds"
    """Goals of every world, or pairs of Blocksworld and Gripper problems."""
    goals: int = 300
    """Goals of each world; every other one has negations."""
    pairs: int = 10_000
    """Pairs of problems, half of each domain."""
    env: tuple[str, ...] = tuple(SMALL_SIZES)
    """The worlds."""
    seed: int = 0
    """Seed of everything."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Check, and show what came of it; exit code 1 if anything is wrong."""
    config = tyro.cli(Study, prog="python -m experiments.studies.goal_completion", args=arguments)
    if config.what == "pairs":
        domains = ("blocksworld", "gripper")
        rows = [study_pairs(d, config.pairs // 2, stream(config.seed, "pairs", d)) for d in domains]
        _show(rows)
        return int(any(row.disagreeing for row in rows))
    tallies = [study_world(w, config.goals, stream(config.seed, "goals", w)) for w in config.env]
    _show(tallies)
    return int(any(tally.wrong for tally in tallies))


@dataclass
class Tally:
    """What became of a world's goals."""

    world: str
    states: int
    goals: int = 0
    exact: int = 0  #: said to be exact
    complete: int = 0  #: of which all implied atoms follow from the invariants alone
    slow: int = 0  #: given up, as it took too long
    wrong: int = 0  #: exact and not what the states say, or not sound


@dataclass
class Agreement:
    """How two ways to compare pairs of one domain agree."""

    domain: str
    pairs: int = 0
    equivalent: int = 0
    different: int = 0
    undecided: int = 0  #: by the rules
    disagreeing: int = 0  #: another verdict without the rules
    incomplete: int = 0  #: goals of which the invariants alone imply something else than the rules do


def study_world(world: str, goals: int, rng: np.random.Generator) -> Tally:
    """Random goals of one small task."""
    cases = listed(small_problem(world, rng))
    derivation = Derivation(cases.problem, replace(GENERIC, max_states=_FEW_STATES))
    tally = Tally(world, len(cases.states))
    for number in range(goals):
        goal = random_goal(cases, rng, negations=number % 2 == 1)
        _judge(tally, cases, goal, derivation)
    return tally


def _judge(tally: Tally, cases: Listed, goal: Goal, derivation: Derivation) -> None:
    tally.goals += 1
    known = cases.implied(goal)
    try:
        implied, completed = derivation.implied(goal), derivation.complete(goal)
    except SolvingTooLong:
        tally.slow += 1
        return
    assert known is not None, "the goal was taken from a reachable state"
    sound = (
        implied is not None
        and implied.positive <= known.positive
        and implied.negative <= cases.false_in_all(goal)
        and completed.goal.positive <= known.positive
        and completed.exactness is not Exactness.UNREACHABLE
    )
    exact = completed.exactness is Exactness.EXACT
    tally.exact += exact
    tally.complete += implied is not None and implied.positive == known.positive
    tally.wrong += not sound or (exact and completed.goal != known)


def study_pairs(domain: str, pairs: int, rng: np.random.Generator) -> Agreement:
    """Generated pairs of one domain, about half of which are equivalent."""
    found = Agreement(domain)
    while found.pairs < pairs:
        cases = listed(small_problem(domain, rng))
        for _ in range(min(_PAIRS_A_STATE, pairs - found.pairs)):
            one, other = _pair(cases, rng)
            verdicts = compare(one, other).verdict, compare(one, other, means=GENERIC).verdict
            found.pairs += 1
            found.equivalent += verdicts[0] is Verdict.EQUIVALENT
            found.different += verdicts[0] is Verdict.DIFFERENT
            found.undecided += verdicts[0] is Verdict.UNSUPPORTED
            found.disagreeing += verdicts[0] is not verdicts[1]
            found.incomplete += sum(not _same_by_invariants(problem) for problem in (one, other))
    return found


def _same_by_invariants(problem: Problem) -> bool:
    """Whether the goal implies by the invariants alone what it does by the rules."""
    goal = read_goal(problem)
    ruled, implied = specify_by_rules(problem, goal), Derivation(problem, GENERIC).implied(goal)
    assert ruled is not None, "the domain has rules"
    if implied is None:
        return ruled.exactness is Exactness.UNREACHABLE
    return ruled.exactness is Exactness.EXACT and implied.positive == ruled.goal.positive


def _pair(cases: Listed, rng: np.random.Generator) -> tuple[Problem, Problem]:
    """A problem, and the same under other names with the goal written otherwise, or changed."""
    goal = random_goal(cases, rng, negations=False)
    known = cases.implied(goal)
    assert known is not None, "the goal was taken from a reachable state"
    atoms = sorted(goal.positive)
    change = rng.random()
    if change < 0.5:
        implied = sorted(known.positive - goal.positive)
        atoms += [atom for atom in implied if rng.random() < 0.5]
    elif change < 0.75:
        del atoms[int(rng.integers(len(atoms)))]
    else:
        atoms[int(rng.integers(len(atoms)))] = cases.atoms[int(rng.integers(len(cases.atoms)))]
    same = {name: name for name in cases.problem.objects}
    numbers = rng.permutation(len(same)).tolist()
    names = {name: f"x{number}" for name, number in zip(same, numbers, strict=True)}
    return _written(cases.problem, goal.positive, same), _written(cases.problem, atoms, names)


def _written(problem: Problem, goal: Iterable[GroundAtom], names: Mapping[str, str]) -> Problem:
    """The problem with another goal, under other names."""
    facts = TaskFacts(
        {names[name]: kind for name, kind in problem.objects.items()},
        tuple((a[0], *(names[o] for o in a[1:])) for a in sorted(problem.init)),
        tuple((True, (a[0], *(names[o] for o in a[1:]))) for a in sorted(goal)),
    )
    return read_problem(problem_text("pair", problem.domain.vocabulary, facts), problem.domain)


@dataclass(frozen=True)
class Listed:
    """A problem and all its reachable states."""

    problem: Problem
    atoms: tuple[GroundAtom, ...]  #: the fluent ones
    states: NDArray[np.bool_]  #: shape (states, atoms)

    def implied(self, goal: Goal) -> Goal | None:
        """The completed goal, as `specify` has it; None if no reachable state satisfies the goal."""
        satisfying = self._satisfying(goal)
        if not len(satisfying):
            return None
        positive = frozenset(a for a, held in zip(self.atoms, satisfying.T, strict=True) if held.all())
        if not goal.negative:
            return Goal(positive)
        return Goal(positive, self.false_in_all(goal) - self.false_in_all(Goal(positive)))

    def false_in_all(self, goal: Goal) -> frozenset[GroundAtom]:
        """The atoms that are false in all reachable states that satisfy the goal."""
        satisfying = self._satisfying(goal)
        return frozenset(a for a, held in zip(self.atoms, satisfying.T, strict=True) if not held.any())

    def _satisfying(self, goal: Goal) -> NDArray[np.bool_]:
        place = {atom: i for i, atom in enumerate(self.atoms)}
        wanted = [(place[a], True) for a in goal.positive] + [(place[a], False) for a in goal.negative]
        held = np.ones(len(self.states), dtype=np.bool_)
        for at, sign in wanted:
            held &= self.states[:, at] == sign
        return self.states[held]


def small_problem(world: str, rng: np.random.Generator) -> Problem:
    """A random small task of a world; one of the world's own where the smallest are small enough."""
    texts = read_texts(world, 1)
    domain = read_domain(texts.domain)
    sizes = SMALL_SIZES[world]
    if not sizes:
        return read_problem(texts.problem, domain)
    module: Any = generator_module(world)
    facts = module.generate(rng, module.Size(**sizes))
    return read_problem(problem_text("small", domain.vocabulary, facts), domain)


def listed(problem: Problem) -> Listed:
    """The problem with all its reachable states."""
    task = compile_task(problem)
    packed = _reachable(task)
    bytes_of = np.ascontiguousarray(packed).view(np.uint8).reshape(len(packed), -1)
    bits = np.unpackbits(bytes_of, axis=1, count=len(task.atoms), bitorder="little")
    return Listed(problem, task.atoms, bits.astype(np.bool_))


def random_goal(cases: Listed, rng: np.random.Generator, negations: bool) -> Goal:
    """One to four atoms of a reachable state and, if asked for, one or two negations that it satisfies."""
    state = cases.states[int(rng.integers(len(cases.states)))]
    true, false = np.flatnonzero(state), np.flatnonzero(~state)
    positive = rng.permutation(true)[: int(rng.integers(1, 5))]
    negative = rng.permutation(false)[: int(rng.integers(1, 3))] if negations else false[:0]
    return Goal(
        frozenset(cases.atoms[i] for i in positive.tolist()),
        frozenset(cases.atoms[i] for i in negative.tolist()),
    )


def _reachable(task: Task) -> PackedStates:
    """All reachable states, by breadth-first search."""
    frontier = task.initial(1)
    found, seen = [frontier], {bytes(frontier[0])}
    while len(frontier):
        batches = (frontier[i : i + _BATCH] for i in range(0, len(frontier), _BATCH))
        after = np.concatenate([_successors(task, batch) for batch in batches])
        new = {bytes(row): i for i, row in enumerate(after) if bytes(row) not in seen}
        seen.update(new)
        frontier = after[sorted(new.values())]
        found.append(frontier)
    return np.concatenate(found)


def _successors(task: Task, states: PackedStates) -> PackedStates:
    rows, operators = np.nonzero(task.applicable(states))
    return task.successors(states[rows], operators)


def _show(rows: Sequence[Tally] | Sequence[Agreement]) -> None:
    table = Table(box=SIMPLE)
    for column in vars(rows[0]):
        table.add_column(column, justify="left" if column in ("world", "domain") else "right")
    for row in rows:
        table.add_row(*(f"{value:,}" if isinstance(value, int) else value for value in vars(row).values()))
    wide_console().print(table)


if __name__ == "__main__":
    run_command(main)
