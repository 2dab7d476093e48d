"""Goal recognition by cost differences: what do the observations cost an agent that wants a candidate?

Observations are compiled into the domain. `seen-i` says that the first i of them were made in order, with
any other steps between: an action makes `seen-i` true where its arguments are those of observation i and
`seen-(i-1)` held. A planner finds the cost (steps) of a plan for the candidate that makes all observations,
and that of one that does not. With their difference d, the observations are likely by 1 / (1 + exp(BETA *
d)); all candidates are equally likely before.

A planner that proves that there is no plan says that its cost is infinite. A planner that gives up, by time
or memory, says nothing: its candidate has no likelihood, and the ranking says so. It is never taken for
impossible.

Source: Ramirez and Geffner 2010, sections 3 and 4.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from agents.goals.candidates import Candidate, Ranking, ranking
from envs.pddl.language.domain import Problem
from envs.pddl.language.operators import parse_operator
from envs.pddl.language.sexpr import Group, Node, Source, Word, read_sexprs
from envs.pddl.planning.planner import Planner, PlanOutcome, planner_texts

#: How much a step of difference counts. Source: as above, section 6.
BETA = 1.0
#: Plans of little cost, found soon: A* with the FF heuristic, which may overestimate.
NEAR_OPTIMAL = "eager_wastar([ff()], w=1)"


class PlannerFailed(RuntimeError):
    """The planner was killed, crashed or could not read what was compiled: nothing is known."""

    blame = "machine"


@dataclass(frozen=True)
class Costs:
    """Steps of the plans for one candidate: infinite if there is none, None if the planner gave up."""

    complying: float | None  #: with all observations
    avoiding: float | None  #: without all of them

    @property
    def likelihood(self) -> float | None:
        """How likely the observations are of the candidate; None if a cost is not known."""
        if self.complying is None or self.avoiding is None:
            return None
        if math.isinf(self.complying):
            return 0.0
        return 1 / (1 + math.exp(min(BETA * (self.complying - self.avoiding), 700.0)))


def rank_by_cost(
    problem: Problem, candidates: Sequence[Candidate], observed: Sequence[str], planner: Planner
) -> Ranking:
    """The candidates, ranked by two plans for each. Actions cost one, whatever the domain says.

    Observations that name no operator of the domain are left out and named. Raises PlannerMissing and
    PlannerFailed.
    """
    known = [step for step in observed if _is_operator(step, problem)]
    compiled = Compiled(problem, known)
    likely = [compiled.costs(candidate, planner).likelihood for candidate in candidates]
    return ranking(likely, tuple(step for step in observed if step not in known))


class Compiled:
    """A problem whose domain notes which of the observations were made."""

    def __init__(self, problem: Problem, observed: Sequence[str]):
        """Takes observations that are operators of the domain."""
        domain = problem.domain
        vocabulary = replace(domain.vocabulary, constants=dict(problem.objects))
        domain = replace(domain, constants=vocabulary.constants, vocabulary=vocabulary)
        texts = planner_texts(replace(problem, domain=domain))
        head = _fresh("seen", domain.predicates)
        marks = [f"({head}-{number})" for number in range(len(observed) + 1)]
        self._domain, self._problem = (_form(text) for text in texts)
        effects: dict[str, list[tuple[tuple[str, ...], str, str]]] = {}
        for step, (before, after) in zip(observed, pairwise(marks), strict=True):
            name, arguments = parse_operator(step)
            effects.setdefault(name, []).append((arguments, before, after))
        for section in self._domain.parts:
            if section.head == ":action" and str(section.items[1]) in effects:
                _extend(section, effects[str(section.items[1])])
        _section(self._domain, ":predicates").items += [Word(mark, 0) for mark in marks]
        _section(self._problem, ":init").items.append(Word(marks[0], 0))
        self.seen = marks[-1]  #: the atom that all of them were made

    def costs(self, candidate: Candidate, planner: Planner) -> Costs:
        """The costs of a candidate. Raises as `rank_by_cost`."""
        return Costs(*(self._cost(candidate, last, planner) for last in (self.seen, f"(not {self.seen})")))

    def texts(self, candidate: Candidate, last: str) -> tuple[str, str]:
        """Domain and problem whose goal is the candidate and a last literal."""
        goal = f"(:goal (and {' '.join(map(str, candidate.literals))} {last}))"
        sections = (goal if _is(node, ":goal") else str(node) for node in self._problem.items)
        return str(self._domain), f"({' '.join(sections)})"

    def _cost(self, candidate: Candidate, last: str, planner: Planner) -> float | None:
        result = planner.plan(*self.texts(candidate, last))
        if result.outcome.infrastructure or result.outcome is PlanOutcome.INVALID_INPUT:
            raise PlannerFailed(f"the planner ended with {result.outcome}: {result.log_tail}")
        if result.plan is not None:
            return len(result.plan)
        return math.inf if result.outcome is PlanOutcome.UNSOLVABLE_PROVED else None


def _is_operator(step: str, problem: Problem) -> bool:
    name, arguments = parse_operator(step)
    parameters = problem.domain.vocabulary.actions.get(name)
    if parameters is None or len(parameters) != len(arguments):
        return False
    kinds = (problem.objects.get(argument) for argument in arguments)
    is_subtype = problem.domain.is_subtype
    return all(
        own is not None and is_subtype(own, kind) for own, (_, kind) in zip(kinds, parameters, strict=True)
    )


def _extend(action: Group, made: Iterable[tuple[tuple[str, ...], str, str]]) -> None:
    """Let an action note the observations that are of it: arguments, the mark needed, the mark made."""
    fields = {str(word): place + 1 for place, word in enumerate(action.items) if isinstance(word, Word)}
    variables = [str(node) for node in _group(action, fields[":parameters"]).items if str(node)[0] == "?"]
    whens = [
        f"(when (and {' '.join(_equalities(variables, arguments))} {before}) {after})"
        for arguments, before, after in made
    ]
    place = fields[":effect"]
    action.items[place] = Word(f"(and {action.items[place]} {' '.join(whens)})", 0)


def _equalities(variables: Sequence[str], arguments: Sequence[str]) -> Iterator[str]:
    return (f"(= {v} {a})" for v, a in zip(variables, arguments, strict=True))


def _form(text: str) -> Group:
    (form,) = read_sexprs(Source(text, "compiled"))
    assert isinstance(form, Group), "the text of a domain or a problem is a form"
    return form


def _section(form: Group, head: str) -> Group:
    """The section of that name, which is made if it is not there."""
    found = next((part for part in form.parts if part.head == head), None)
    if found is None:
        found = Group([Word(head, 0)], 0)
        form.items.insert(2, found)
    return found


def _group(form: Group, place: int) -> Group:
    node = form.items[place]
    assert isinstance(node, Group), "this field of an action is a group"
    return node


def _is(node: Node, head: str) -> bool:
    return isinstance(node, Group) and node.head == head


def _fresh(name: str, taken: Mapping[str, object]) -> str:
    while any(other.startswith(f"{name}-") for other in taken):
        name += "-"
    return name
