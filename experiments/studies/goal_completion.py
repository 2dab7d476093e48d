"""Do completed goals hold what they say? `python -m experiments.run study-completion [worlds|pairs]`

`worlds`: random goals of a small task of every world, completed from invariants and few reached states,
against a list of all reachable states. Printed are how many are exact, of how many the invariants'
consequences are complete, and how many took too long; anything wrong makes the exit code 1.

`pairs`: generated pairs of Blocksworld and Gripper problems, compared by the exact rules and without them.

What a goal implies is read off the list of all reachable states: slow and obvious, it shares nothing with
invariants, rules or canonical forms.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import tyro
from numpy.typing import NDArray

from envs.pddl.equivalence.compare import Verdict, compare
from envs.pddl.equivalence.goals.consequences import SolvingTooLong
from envs.pddl.equivalence.goals.derive import Derivation, Means, specify_by_rules
from envs.pddl.equivalence.goals.goal import Exactness, Goal, read_goal
from envs.pddl.language.domain import GroundAtom, Problem, read_domain, read_problem
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.simulator import PackedStates, Task
from envs.source import read_texts
from envs.tasks import TaskFacts, generator_of, problem_text
from experiments.config import parse_job
from experiments.reporting.display import rich_table, wide_console
from experiments.reporting.tables import Table
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
class CompletionConfig:
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


def main(arguments: Sequence[str]) -> int:
    """Check, and print the counts; exit code 1 if anything is wrong."""
    config = parse_job(CompletionConfig, "study-completion", arguments)
    counts: list[GoalCounts] | list[PairCounts]
    if config.what == "pairs":
        domains = ("blocksworld", "gripper")
        counts = [study_pairs(d, config.pairs // 2, stream(config.seed, "pairs", d)) for d in domains]
    else:
        counts = [study_world(w, config.goals, stream(config.seed, "goals", w)) for w in config.env]
    rows = tuple(tuple(map(str, vars(row).values())) for row in counts)
    wide_console().print(rich_table(Table(f"Completed goals: {config.what}", tuple(vars(counts[0])), rows)))
    return int(any(row.wrong for row in counts))


@dataclass
class GoalCounts:
    """What became of a world's goals."""

    world: str
    states: int
    goals: int = 0
    exact: int = 0  #: said to be exact
    complete: int = 0  #: of which all implied atoms follow from the invariants alone
    slow: int = 0  #: given up, as it took too long
    wrong: int = 0  #: exact and not what the states say, or not sound


@dataclass
class PairCounts:
    """How two ways to compare pairs of one domain agree."""

    domain: str
    pairs: int = 0
    equivalent: int = 0
    different: int = 0
    undecided: int = 0  #: by the rules
    wrong: int = 0  #: another verdict without the rules
    incomplete: int = 0  #: goals of which the invariants alone imply something else than the rules do


def study_world(world: str, goals: int, rng: np.random.Generator) -> GoalCounts:
    """Random goals of one small task."""
    cases = listed(small_problem(world, rng))
    derivation = Derivation(cases.problem, replace(GENERIC, max_states=_FEW_STATES))
    tally = GoalCounts(world, len(cases.states))
    for number in range(goals):
        goal = random_goal(cases, rng, negations=number % 2 == 1)
        _judge(tally, cases, goal, derivation)
    return tally


def _judge(tally: GoalCounts, cases: ReachableStates, goal: Goal, derivation: Derivation) -> None:
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


def study_pairs(domain: str, pairs: int, rng: np.random.Generator) -> PairCounts:
    """Generated pairs of one domain, about half of which are equivalent."""
    found = PairCounts(domain)
    while found.pairs < pairs:
        cases = listed(small_problem(domain, rng))
        for _ in range(min(_PAIRS_A_STATE, pairs - found.pairs)):
            one, other = _pair(cases, rng)
            verdicts = compare(one, other).verdict, compare(one, other, means=GENERIC).verdict
            found.pairs += 1
            found.equivalent += verdicts[0] is Verdict.EQUIVALENT
            found.different += verdicts[0] is Verdict.DIFFERENT
            found.undecided += verdicts[0] is Verdict.UNSUPPORTED
            found.wrong += verdicts[0] is not verdicts[1]
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


def _pair(cases: ReachableStates, rng: np.random.Generator) -> tuple[Problem, Problem]:
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
    problem, init = cases.problem, sorted(cases.problem.init)
    numbers = rng.permutation(len(problem.objects)).tolist()
    names = {name: f"x{number}" for name, number in zip(problem.objects, numbers, strict=True)}
    first = restated(problem, problem.objects, init, [(True, atom) for atom in sorted(goal.positive)])
    other = restated(problem, problem.objects, init, [(True, atom) for atom in sorted(atoms)], names)
    return first, other


def renamed(
    objects: Mapping[str, str],
    init: Iterable[GroundAtom],
    goal: Iterable[tuple[bool, GroundAtom]],
    names: Mapping[str, str],
) -> TaskFacts:
    """The facts of a task, in this order, under other `names`; those that have none stay."""

    def other(atom: GroundAtom) -> GroundAtom:
        return (atom[0], *(names.get(name, name) for name in atom[1:]))

    kinds = {names.get(name, name): kind for name, kind in objects.items()}
    return TaskFacts(kinds, tuple(map(other, init)), tuple((sign, other(atom)) for sign, atom in goal))


def restated(
    problem: Problem,
    objects: Iterable[str],
    init: Iterable[GroundAtom],
    goal: Iterable[tuple[bool, GroundAtom]],
    names: Mapping[str, str] = MappingProxyType({}),
) -> Problem:
    """The problem with these objects, initial atoms and goal literals, in this order, under other `names`."""
    facts = renamed({name: problem.objects[name] for name in objects}, init, goal, names)
    return read_problem(problem_text("pair", problem.domain.vocabulary, facts), problem.domain)


@dataclass(frozen=True)
class ReachableStates:
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
        true, false = ([place[atom] for atom in atoms] for atoms in (goal.positive, goal.negative))
        return self.states[self.states[:, true].all(axis=1) & ~self.states[:, false].any(axis=1)]


def small_problem(world: str, rng: np.random.Generator) -> Problem:
    """A random small task of a world; one of the world's own where the smallest are small enough."""
    texts = read_texts(world, 1)
    domain = read_domain(texts.domain)
    sizes = SMALL_SIZES[world]
    if not sizes:
        return read_problem(texts.problem, domain)
    facts = generator_of(world)(**sizes).generate(rng)
    return read_problem(problem_text("small", domain.vocabulary, facts), domain)


def listed(problem: Problem) -> ReachableStates:
    """The problem with all its reachable states."""
    task = compile_task(problem)
    packed = _reachable(task)
    bytes_of = np.ascontiguousarray(packed).view(np.uint8).reshape(len(packed), -1)
    bits = np.unpackbits(bytes_of, axis=1, count=len(task.atoms), bitorder="little")
    return ReachableStates(problem, task.atoms, bits.astype(np.bool_))


def random_goal(cases: ReachableStates, rng: np.random.Generator, negations: bool) -> Goal:
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
