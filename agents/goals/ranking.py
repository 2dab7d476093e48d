"""Goals ranked without a language model: by a plan's unsupported effects, and by how rational its prefix is.

Of a plan that was seen whole, the goal is among what holds because of it. A rational agent takes no step in
vain, so what supports nothing at the end should be wanted, and what is wanted should explain the plan: every
step should lead, by causal links, to something wanted. Goals are ranked by

1. how many unsupported effects they leave out, surplus aside: a planner that is not optimal makes too much of
what it needs, so a thing that it also used another one of may be left over 2. how many of their subgoals
later steps needed (a sword that wool was got with may have been wanted too, but an unsupported effect is
likelier) 3. how many steps they do not explain 4. when the last that was needed was made, the latest first,
and by name

Where steps of unknown actions were taken, candidates that no known operator brings about may be their doing.

Of a prefix, each candidate is seen with the rest of a plan for it. Candidates are ranked by

  1. how many of the steps seen lead, by causal links, to nothing that the rest begins with
  2. the excess: the steps that were seen and the rest, less a plan from the start. It is 0 for whoever went
     straight there, and grows with every step that does not help
  3. the length of the rest, since any prefix is likelier of a shorter plan, and by name

The rest of a plan is what the caller finds: relaxed plans (below), or a planner's.

Sources: inverse planning by cost differences is Ramirez and Geffner 2009; that the hanging effects should be
the goal is Siegel et al. 2024, section 5.1. Explained steps are ours.

Relaxed plans (the FF heuristic) say how far goals are from a state. Steps only add here: what they delete is
ignored. Each atom has the cost of its cheapest way from the state
(costs of what a step needs are summed), and a goal's relaxed plan has each step once that these ways take. So
one pass from a state gives the distance of every goal, without search; distances are neither upper nor lower
bounds of true plans. Steps that need an absent atom are taken to have it so.
Source: Hoffmann and Nebel 2001, with the additive best supporters of Keyder and Geffner 2008.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from agents.goals.parsing import CausalGraph, after, atom_of
from agents.goals.task import Goal, GoalSpace, Observed
from agents.operators.lifted import EQUAL, NamedLiteral, Operator
from envs.pddl.language.domain import GroundAtom
from envs.pddl.language.operators import parse_operator
from envs.pddl.simulation.grounding import Limits


@dataclass(frozen=True)
class Way:
    """A relaxed plan, as far as it matters."""

    length: int  #: steps, 0 if the goal is there already
    uses: frozenset[GroundAtom]  #: facts that it begins with


class RelaxedSteps:
    """The steps that may be taken in a task, indexed by what they need."""

    def __init__(self, operators: Iterable[Operator], steps: Iterable[str]):
        """`steps` are operator texts; what they need and add is what `operators` say."""
        by_name = {operator.name: operator for operator in operators}
        self._needs: list[tuple[GroundAtom, ...]] = []
        self._adds: list[tuple[GroundAtom, ...]] = []
        for text in steps:
            name, arguments = parse_operator(text)
            operator = by_name[name]
            binding = operator.bound(arguments)
            self._needs.append(_atoms(operator.preconditions, binding))
            self._adds.append(_atoms(operator.effects, binding))
        self._takers: dict[GroundAtom, list[int]] = {}
        for number, needs in enumerate(self._needs):
            for atom in needs:
                self._takers.setdefault(atom, []).append(number)

    def ways(
        self, facts: Iterable[GroundAtom], space: GoalSpace, old: frozenset[GroundAtom]
    ) -> dict[str, Way]:
        """The shortest relaxed plan for each candidate that can be reached.

        What `old` facts fulfil by themselves does not count: nobody needs a plan for it.
        """
        givers = self._givers(facts)
        found = {
            wanted: [
                self._way(atoms, givers)
                for atoms in space.instances(wanted, givers)
                if not old.issuperset(atoms)
            ]
            for wanted in space.candidates
        }
        return {wanted: min(ways, key=_shorter) for wanted, ways in found.items() if ways}

    def _givers(self, facts: Iterable[GroundAtom]) -> dict[GroundAtom, int]:
        """Every atom that can be reached, and the first of the cheapest steps that add it; -1 for facts."""
        missing = [len(needs) for needs in self._needs]
        costs = [1] * len(self._needs)
        best: dict[GroundAtom, tuple[int, int]] = dict.fromkeys(sorted(facts), (0, -1))
        waiting = [(0, -1, atom) for atom in best]  # sorted, and so a heap

        def offer(ready: Iterable[int]) -> None:
            """Note what steps that may run now add, where that is cheaper than what is known."""
            for step in ready:
                for atom in self._adds[step]:
                    if atom not in best or (costs[step], step) < best[atom]:
                        best[atom] = costs[step], step
                        heapq.heappush(waiting, (costs[step], step, atom))

        offer(i for i, count in enumerate(missing) if not count)
        while waiting:
            cost, giver, atom = heapq.heappop(waiting)
            if best[atom] != (cost, giver):
                continue
            takers = self._takers.get(atom, ())
            for taker in takers:
                missing[taker] -= 1
                costs[taker] += cost
            offer(taker for taker in takers if not missing[taker])
        return {atom: giver for atom, (_, giver) in best.items()}

    def _way(self, atoms: Iterable[GroundAtom], givers: Mapping[GroundAtom, int]) -> Way:
        """The steps on the ways to the atoms, and the facts where these begin."""
        steps: set[int] = set()
        begins: set[GroundAtom] = set()
        waiting = list(atoms)
        while waiting:
            atom = waiting.pop()
            giver = givers[atom]
            if giver < 0:
                begins.add(atom)
            elif giver not in steps:
                steps.add(giver)
                waiting.extend(self._needs[giver])
        return Way(len(steps), frozenset(begins))


def _shorter(way: Way) -> tuple[int, list[GroundAtom]]:
    return way.length, sorted(way.uses)


def _atoms(literals: Iterable[NamedLiteral], binding: Mapping[str, str]) -> tuple[GroundAtom, ...]:
    """The positive ones, ground, each once."""
    wanted = (literal for literal in literals if literal.positive and literal.predicate != EQUAL)
    return tuple(dict.fromkeys(literal.ground(binding) for literal in wanted))


#: Candidates that are combined to goals; of more, the unsupported ones that explain most.
MAX_COMBINED = 14
#: Learned operators may need too little, and then run nearly everywhere.
LIMITS = Limits(max_groundings=100_000, max_literals=10_000_000, cpu_s=60.0)


@dataclass(frozen=True)
class Prospects:
    """A plan for each candidate that can be reached."""

    before: Mapping[str, Way]  #: from the start
    after: Mapping[str, Way]  #: from where the prefix led


@dataclass(frozen=True)
class Achieved:
    """A candidate that holds at the end because of the plan."""

    wanted: str
    unsupported: bool  #: whether an atom of it is neither needed nor undone by a later step
    surplus: bool  #: whether another one of it was used up by the plan
    explains: frozenset[int]  #: the steps that it rests on
    made: int  #: the last of them


def achieved(graph: CausalGraph, facts: Iterable[GroundAtom], space: GoalSpace) -> tuple[Achieved, ...]:
    """The candidates that the plan made true, each by the instance that speaks most for it; by name.

    `facts` hold before the plan.
    """
    old, state = frozenset(facts), after(graph.steps, facts)
    last, ancestors = graph.last_givers, graph.ancestors
    unsupported = frozenset(effect for _, effect in graph.unsupported_effects)

    def instance(wanted: str, atoms: Sequence[GroundAtom], surplus: bool) -> Achieved | None:
        literals = [NamedLiteral(name, tuple(arguments)) for name, *arguments in atoms]
        givers = [last[literal] for literal in literals if literal in last]
        if not givers:
            return None  # it is none of the plan's doing
        explained = frozenset[int]().union(*(ancestors[giver] for giver in givers))
        return Achieved(wanted, not unsupported.isdisjoint(literals), surplus, explained, max(givers))

    used = {atom_of(link.literal) for link in graph.links if link.literal.positive} - state - old
    found = []
    for wanted in space.candidates:
        surplus = bool(space.instances(wanted, used | old)) and not space.instances(wanted, old)
        options = [instance(wanted, atoms, surplus) for atoms in space.instances(wanted, state)]
        made = [option for option in options if option is not None]
        if made:
            found.append(min(made, key=_weight))
    return tuple(found)


def _weight(option: Achieved) -> tuple[bool, bool, int, int, str]:
    """Sorts what is likelier wanted first."""
    return not option.unsupported, option.surplus, -len(option.explains), -option.made, option.wanted


def rank_whole(
    graph: CausalGraph, facts: Iterable[GroundAtom], space: GoalSpace, beyond: Iterable[str] = ()
) -> tuple[Goal, ...]:
    """All goals that a plan seen whole may have had, the best first; smaller ones if it made too little.

    `beyond` are candidates that no known operator brings about.
    """
    options = [*achieved(graph, facts, space), *_unknown(graph, beyond)]
    likely = sorted(options, key=_weight)[:MAX_COMBINED]
    wasted = sum(option.unsupported and not option.surplus for option in likely)
    goals = combinations(likely, min(space.size, len(likely)))
    ranked = sorted(goals, key=lambda goal: _doubts(goal, wasted, len(graph.steps)))
    return tuple(frozenset(option.wanted for option in goal) for goal in ranked if goal)


def _unknown(graph: CausalGraph, beyond: Iterable[str]) -> Iterator[Achieved]:
    """What the last step of an unknown action may have brought about."""
    last = max((i for i, step in enumerate(graph.steps) if not step.known), default=None)
    if last is not None:
        yield from (Achieved(wanted, True, False, graph.ancestors[last], last) for wanted in beyond)


def _doubts(goal: Sequence[Achieved], wasted: int, steps: int) -> tuple[int, int, int, int, tuple[str, ...]]:
    """What speaks against a goal; `wasted` is how many of all are unsupported and no surplus."""
    left = wasted - sum(option.unsupported and not option.surplus for option in goal)
    used = [option for option in goal if not option.unsupported]
    explained = frozenset[int]().union(*(option.explains for option in goal))
    latest = max((option.made for option in used), default=0)
    names = tuple(sorted(option.wanted for option in goal))
    return left, len(used), steps - len(explained), -latest, names


def rank_prefix(
    graph: CausalGraph, facts: Iterable[GroundAtom], prospects: Prospects, space: GoalSpace
) -> tuple[Goal, ...]:
    """All goals that a plan seen in part may have, the best first.

    Whoever wants one thing stops when it is there, so what was there on the way comes last, and so does what
    cannot be reached. A goal of several subgoals is ranked by the sum of theirs; of those that were there
    already, nothing is known then.
    """
    had = passed(graph, facts, space) if space.size == 1 else frozenset()
    last, ancestors = graph.last_givers, graph.ancestors
    keys: dict[str, tuple[int, ...]] = {}
    for wanted in space.candidates:
        keys[wanted] = (1, 0, 0, 0)
        if wanted in prospects.before and wanted in prospects.after and wanted not in had:
            rest = prospects.after[wanted]
            begins = (NamedLiteral(name, tuple(arguments)) for name, *arguments in rest.uses)
            served = frozenset[int]().union(*(ancestors[last[atom]] for atom in begins if atom in last))
            excess = len(graph.steps) + rest.length - prospects.before[wanted].length
            keys[wanted] = 0, len(graph.steps) - len(served), excess, rest.length
    likely = sorted(space.candidates, key=lambda wanted: (keys[wanted], wanted))
    goals = combinations(likely if space.size == 1 else likely[:MAX_COMBINED], space.size)
    ranked = sorted(goals, key=lambda goal: (*map(sum, zip(*(keys[w] for w in goal), strict=True)), goal))
    return tuple(map(frozenset, ranked))


def passed(graph: CausalGraph, facts: Iterable[GroundAtom], space: GoalSpace) -> frozenset[str]:
    """The candidates that the plan made true at some time."""
    of_goals = {literal.predicate for literal in space.pattern}
    old = state = frozenset(facts)
    found: set[str] = set()
    for step in graph.steps:
        state = after([step], state)
        if any(effect.positive and effect.predicate in of_goals for effect in step.effects):
            found.update(
                wanted
                for wanted in space.candidates
                if any(not old.issuperset(atoms) for atoms in space.instances(wanted, state))
            )
    return frozenset(found)


def infer(observed: Observed, space: GoalSpace, *, whole: bool) -> tuple[Goal, ...]:
    """All goals that may be meant, the best first.

    `whole` says that the plan was seen to its end. Raises GroundingExploded if the steps that could have been
    taken in the rest of it are too many to be listed.
    """
    graph = observed.graph
    if whole:
        return rank_whole(graph, observed.facts, space, space.beyond(observed.operators))
    return rank_prefix(graph, observed.facts, prospects(observed, space), space)


def prospects(observed: Observed, space: GoalSpace) -> Prospects:
    """The relaxed plans for each candidate, from the start and from where the prefix led.

    Raises GroundingExploded.
    """
    steps = RelaxedSteps(observed.operators, observed.steps(LIMITS))
    before = steps.ways(observed.facts, space, observed.facts)
    return Prospects(before, steps.ways(observed.reached, space, observed.facts))
