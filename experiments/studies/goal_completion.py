"""Do completed goals hold what they say? `python -m experiments.studies.goal_completion [worlds|pairs]`

`worlds`: random goals of a small task of every world, completed from invariants and few reached states,
against a list of all reachable states. Told are how many are exact, of how many the invariants' consequences
are complete, and how many took too long; anything wrong makes the exit code 1.

`pairs`: generated pairs of Blocksworld and Gripper problems, compared by the exact rules and without them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import tyro
from rich.box import SIMPLE
from rich.table import Table

from envs.pddl.equivalence.compare import Verdict, compare
from envs.pddl.equivalence.goals.completion import Exactness
from envs.pddl.equivalence.goals.consequences import SolvingTooLong
from envs.pddl.equivalence.goals.derive import Derivation, Means
from envs.pddl.equivalence.goals.goal import Goal, read_goal
from envs.pddl.equivalence.goals.specify import specify_by_rules
from envs.pddl.language.domain import GroundAtom, Problem, read_problem
from envs.tasks import TaskFacts, problem_text
from experiments.driver.command import run_command
from experiments.reporting.display import wide_console
from experiments.runs.seeds import stream
from experiments.studies.goal_completion_cases import SMALL_SIZES, Listed, listed, random_goal, small_problem

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


def _show(rows: Sequence[Tally] | Sequence[Agreement]) -> None:
    table = Table(box=SIMPLE)
    for column in vars(rows[0]):
        table.add_column(column, justify="left" if column in ("world", "domain") else "right")
    for row in rows:
        table.add_row(*(f"{value:,}" if isinstance(value, int) else value for value in vars(row).values()))
    wide_console().print(table)


if __name__ == "__main__":
    run_command(main)
