"""How many comparisons of problems of domains that are not bundled are undecided?

`python -m experiments.run study-foreign` compares pairs of problems of pddlgym's domains and prints, for each
domain, the verdicts, the share that is undecided, and the seconds of processor time, those of the planner
among them if it was not ended. A verdict that contradicts how a pair was made makes the exit code 1.

A deadline is wall time: on a busy machine `--seconds` has to be larger for the same verdicts. Without
`--domain` no domain is picked: see `foreign_domains`.

Each pair is a problem and, under other names and in another order, the same problem with a small change of
one `PairChange`. What is known of a pair by construction is its `expected` verdict: a renamed problem is
equivalent, an initial state with one atom more or less is different. Of most other kinds nothing is known.
"""

from __future__ import annotations

import os
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from time import monotonic

import numpy as np

from envs.pddl.equivalence.compare import Verdict, compare
from envs.pddl.equivalence.deadline import DEADLINE_S
from envs.pddl.equivalence.goals.consequences import SolvingTooLong
from envs.pddl.equivalence.goals.derive import Derivation, Means
from envs.pddl.equivalence.goals.goal import Goal, NotLiterals, fluents_of, read_goal
from envs.pddl.equivalence.invariants.transitions import TooLarge
from envs.pddl.language.domain import Domain, GroundAtom, Problem, read_domain, read_problem
from envs.pddl.language.issues import PDDLError
from envs.pddl.language.terms import same_rules
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.simulator import Task
from envs.pddlgym_suite import domain_file, domains, missing, problem_files
from envs.registry import worlds
from envs.source import read_texts
from envs.tasks import pick, shuffled
from experiments.config import EXIT_CONFIG, fail, parse_job
from experiments.config import pick as pick_name
from experiments.reporting.display import rich_table, wide_console
from experiments.reporting.tables import Columns, Table
from experiments.runs.seeds import stream
from experiments.studies.goal_completion import restated

_WALK = 40  #: steps of a random walk to a state that a goal is taken from


@dataclass(frozen=True)
class ForeignConfig:
    """Compare pairs of problems of domains that are not bundled."""

    domain: tuple[str, ...] = ()
    """Domains of pddlgym; none: all that can be read and whose rules are not those of a bundled world."""
    pairs: int = 7
    """Pairs of each domain."""
    largest: int = 100
    """Objects of a problem at most."""
    seconds: float = DEADLINE_S
    """Time for one comparison."""
    seed: int = 0
    """Seed of the pairs."""
    shard: tuple[int, int] = (1, 1)
    """Which of how many processes this is: it takes every so many-th domain."""
    undecided: bool = False
    """Print each undecided pair with the reason."""


def main(arguments: Sequence[str]) -> int:
    """Compare and print; exit code 1 if a verdict is wrong, 2 if a domain or pddlgym is missing."""
    config = parse_job(ForeignConfig, "study-foreign", arguments)
    rows = []
    try:
        chosen = config.domain or foreign_domains()
    except LookupError as error:
        return fail(missing() or str(error), EXIT_CONFIG)
    number, processes = config.shard
    for domain in chosen[number - 1 :: processes]:
        try:
            pairs = foreign_pairs(
                pick_name("domain", domain, domains()), config.pairs, config.seed, config.largest
            )
            rows.append(study(domain, pairs, config.seconds, config.undecided))
        except (LookupError, OSError, ValueError) as error:
            if config.domain:
                return fail(missing() or f"{domain}: {error}", EXIT_CONFIG)
            print(f"{domain}: left out: {error}", flush=True)
    _show(rows)
    return int(any(row.wrong for row in rows))


@dataclass
class DomainResult:
    """What became of the pairs of a domain."""

    domain: str
    objects: str  #: fewest and most
    verdicts: Counter[Verdict] = field(default_factory=Counter)
    wrong: int = 0  #: verdicts that contradict how the pair was made
    times: list[float] = field(default_factory=list)  #: seconds of processor time
    waits: list[float] = field(default_factory=list)  #: seconds by the clock

    @property
    def undecided(self) -> int:
        """Pairs without a verdict."""
        return self.verdicts[Verdict.UNSUPPORTED] + self.verdicts[Verdict.TIMEOUT]


def study(domain: str, pairs: Iterable[ForeignPair], seconds: float, explain: bool) -> DomainResult:
    """Compare the pairs of a domain, each within `seconds`."""
    drawn = list(pairs)
    counts = [len(pair.one.objects) for pair in drawn]
    row = DomainResult(domain, f"{min(counts)}-{max(counts)}")
    for pair in drawn:
        began, started = monotonic(), _processor_s()
        found = compare(pair.one, pair.other, deadline_s=seconds)
        row.times.append(_processor_s() - started)
        row.waits.append(monotonic() - began)
        row.verdicts[found.verdict] += 1
        decided = found.verdict in (Verdict.EQUIVALENT, Verdict.DIFFERENT)
        row.wrong += decided and pair.expected not in (None, found.verdict)
        if explain and not decided:
            size = len(pair.one.objects)
            times = f"{row.times[-1]:.1f} s of processor time, {row.waits[-1]:.1f} s by the clock"
            print(f"{domain}, {size} objects, {pair.kind}, {times}: {found.witness}", flush=True)
    return row


def _processor_s() -> float:
    """Processor time of this process and of the children that it has waited for."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


class PairChange(StrEnum):
    """How the second problem of a pair differs from the first."""

    RENAMED = "renamed"  #: in names and order alone
    INIT = "initial atom"  #: an atom of the initial state is missing, or there is one more
    DROPPED = "goal atom dropped"
    REPLACED = "goal atom replaced"  #: by another of the same predicate, which may be out of reach
    COMPLETED = "goal completed"  #: with atoms that invariants show to be implied
    ADDED = "goal atom added"  #: one that holds in a state that a random walk reaches
    STATE = "state without an atom"  #: both goals are a state that a walk reaches, the second lacks an atom


@dataclass(frozen=True)
class ForeignPair:
    """Two problems of one domain."""

    domain: str
    kind: PairChange
    one: Problem
    other: Problem

    @property
    def expected(self) -> Verdict | None:
        """The verdict that the pair has by construction; None if it is not known."""
        if self.kind in (PairChange.RENAMED, PairChange.COMPLETED):
            return Verdict.EQUIVALENT
        return Verdict.DIFFERENT if self.kind is PairChange.INIT else None


def foreign_domains() -> tuple[str, ...]:
    """The domains of pddlgym that can be read and whose rules are not those of a bundled world.

    Raises LookupError if pddlgym is not installed.
    """
    bundled = [read_domain(read_texts(name, 1).domain) for name in worlds()]
    return tuple(name for name in domains() if _is_foreign(name, bundled))


def _is_foreign(name: str, bundled: Sequence[Domain]) -> bool:
    try:
        read = read_domain(domain_file(name).read_text(encoding="utf-8"))
    except (PDDLError, OSError, UnicodeError):
        return False
    return not any(same_rules(read, other) for other in bundled)


def foreign_pairs(domain: str, count: int, seed: int, largest: int) -> Iterator[ForeignPair]:
    """`count` pairs of a domain of pddlgym, kinds in turn, from problems of at most `largest` objects.

    Problems are spread evenly over the domain's own, from the smallest to the largest. Raises LookupError
    if pddlgym is not installed, and ValueError if the domain has no problem of that size
    whose goal is a conjunction of literals.
    """
    read = read_domain(domain_file(domain).read_text(encoding="utf-8"))
    problems = _readable(problem_files(domain), read)
    fitting = sorted((p for p in problems if len(p.objects) <= largest), key=lambda p: len(p.objects))
    if not fitting:
        raise ValueError(f"{domain} has no problem of at most {largest} objects that can be read")
    rng = stream(seed, "foreign", domain)
    sources = [fitting[i * len(fitting) // count] for i in range(count)]
    makers = {id(problem): _Maker(problem, rng) for problem in sources}
    kinds = list(PairChange)
    for number, problem in enumerate(sources):
        first = number % len(kinds)
        yield makers[id(problem)].first_of(domain, kinds[first:] + kinds[:first])


def _readable(files: Iterable[Path], domain: Domain) -> list[Problem]:
    """The problems whose files can be read, and whose goals are conjunctions of literals."""
    found = []
    for file in files:
        try:
            problem = read_problem(file.read_text(encoding="utf-8"), domain)
            read_goal(problem)
        except (PDDLError, NotLiterals, UnicodeError):
            continue
        found.append(problem)
    return found


class _Maker:
    """Makes pairs of one problem."""

    def __init__(self, problem: Problem, rng: np.random.Generator):
        self._problem = problem
        self._rng = rng
        self._goal = read_goal(problem)
        self._objects = [name for name in problem.objects if name not in problem.domain.constants]

    def first_of(self, domain: str, kinds: Sequence[PairChange]) -> ForeignPair:
        """A pair of the first kind that the problem has one of: a goal without atoms has none to drop."""
        made = ((kind, self.pair(kind)) for kind in kinds)
        return next(ForeignPair(domain, kind, *pair) for kind, pair in made if pair is not None)

    def pair(self, kind: PairChange) -> tuple[Problem, Problem] | None:
        """A problem and its changed form; None if this problem has no pair of the kind."""
        goal, init = self._goal, self._problem.init
        match kind:
            case PairChange.RENAMED:
                return self._written(goal, init), self._disguised(goal, init)
            case PairChange.INIT:
                return self._written(goal, init), self._disguised(goal, self._changed_init())
            case PairChange.STATE:
                state = self._walked()
                less = state - {pick(self._rng, sorted(state))}
                return self._written(Goal(state), init), self._disguised(Goal(less), init)
        changed = self._changed_goal(kind)
        return None if changed is None else (self._written(goal, init), self._disguised(changed, init))

    def _changed_goal(self, kind: PairChange) -> Goal | None:
        atoms = sorted(self._goal.positive)
        if kind is PairChange.ADDED:
            more = sorted(self._walked() - self._goal.positive)
            positive = self._goal.positive | {pick(self._rng, more)} if more else None
            return None if positive is None else replace(self._goal, positive=positive)
        if kind is PairChange.COMPLETED:
            try:
                implied = Derivation(self._problem, Means(planner=None)).implied(self._goal)
            except (TooLarge, SolvingTooLong):
                return None
            if implied is None:
                return None
            more = [
                a for a in sorted(implied.positive) if a in self._goal.positive or self._rng.random() < 0.5
            ]
            return replace(self._goal, positive=frozenset(more))
        if not atoms:
            return None
        dropped = pick(self._rng, atoms)
        rest = self._goal.positive - {dropped}
        if kind is PairChange.DROPPED:
            return replace(self._goal, positive=rest)
        alike = self._alike(dropped)
        return replace(self._goal, positive=rest | {pick(self._rng, alike)}) if alike else None

    def _alike(self, atom: GroundAtom) -> list[GroundAtom]:
        """Other atoms of the same predicate, one argument replaced by an object of the same type."""
        kinds = self._problem.objects
        return [
            (*atom[:place], name, *atom[place + 1 :])
            for place in range(1, len(atom))
            for name in sorted(kinds)
            if kinds[name] == kinds[atom[place]] and name != atom[place]
        ]

    def _changed_init(self) -> frozenset[GroundAtom]:
        init = self._problem.init
        if self._rng.random() < 0.5:
            return init - {pick(self._rng, sorted(init))}
        more = [a for atom in shuffled(self._rng, sorted(init)) for a in self._alike(atom) if a not in init]
        return init | {pick(self._rng, more)} if more else init - {pick(self._rng, sorted(init))}

    @cached_property
    def _task(self) -> Task:
        return compile_task(self._problem)

    def _walked(self) -> frozenset[GroundAtom]:
        """The fluent atoms of the state at the end of a random walk."""
        state = self._task.initial(1)
        for _ in range(_WALK):
            operators = np.flatnonzero(self._task.applicable(state)[0]).tolist()
            if not operators:
                break
            state = self._task.successors(state, np.array([pick(self._rng, operators)]))
        fluents = fluents_of(self._problem.domain)
        return frozenset(atom for atom in self._task.atoms_of(state) if atom[0] in fluents)

    def _written(self, goal: Goal, init: frozenset[GroundAtom]) -> Problem:
        """The problem with that goal and that initial state."""
        literals = [*((True, a) for a in sorted(goal.positive)), *((False, a) for a in sorted(goal.negative))]
        return restated(self._problem, self._objects, sorted(init), literals)

    def _disguised(self, goal: Goal, init: frozenset[GroundAtom]) -> Problem:
        """The same under other names and in another order; constants stay."""
        names = {name: f"y{number}" for number, name in enumerate(shuffled(self._rng, self._objects))}
        wanted = [(True, atom) for atom in shuffled(self._rng, sorted(goal.positive))]
        refused = [(False, atom) for atom in shuffled(self._rng, sorted(goal.negative))]
        objects = shuffled(self._rng, self._objects)
        facts = shuffled(self._rng, sorted(init))
        return restated(self._problem, objects, facts, (*refused, *wanted), names)


def _show(rows: Sequence[DomainResult]) -> None:
    total = DomainResult("all", "")
    for row in rows:
        total.verdicts += row.verdicts
        total.wrong += row.wrong
        total.times += row.times
        total.waits += row.waits
    columns: Columns = {
        "domain": "domain",
        "objects": "objects",
        "pairs": lambda row: len(row.times),
        "equivalent": lambda row: row.verdicts[Verdict.EQUIVALENT],
        "different": lambda row: row.verdicts[Verdict.DIFFERENT],
        "undecided": lambda row: f"{row.undecided} ({row.undecided / len(row.times):.1%})",
        "wrong": "wrong",
        "median": lambda row: f"{statistics.median(row.times):.2f} s",
        "slowest": lambda row: f"{max(row.times):.1f} s",
        "by the clock": lambda row: f"{max(row.waits):.1f} s",
    }
    wide_console().print(rich_table(Table.of("Pairs of problems compared", (*rows, total), columns)))
