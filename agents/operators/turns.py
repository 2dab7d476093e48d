"""Walking and learning in turns: what was learned says where to walk next, and which operators to note.

The walks of all tasks are divided among the turns. In the first they go where less was done before; in each
further one so do half of them, and the others are walks of the learned model to what was not seen together
(`novelty`). Beside these, about as many walks lead to actions that seldom ran, or of which something is not
explained, and go on at random. After each turn, the operators are learned from all tasks together and held
against every state that was seen: what the world lets run and the model does not, or the other way round, is
noted, and they are learned again, until nothing new is found. After the last turn walks are made to where
each conjunct of a learned precondition has to show itself (`ew.probes`), and what speaks against the model
there teaches in the same way. So a world is asked no more than walks ask it, and refused operators are those
that teach.

The states must be seen whole: what is hidden is no evidence against a model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple

from agents.operators.exploration import Explorer, explored
from agents.operators.learner import Bias, learn_operators
from agents.operators.lifted import Operator, domain_of, shown_problem
from agents.operators.novelty import novel_walks
from envs.pddl.language.domain import Problem, read_domain, read_problem
from envs.pddl.simulation.grounding import GroundingExploded, limits_of
from envs.pddl.simulation.probes import ProbedTask
from ew.score.directed import Direction, RefusedWalk

#: Turns, if nothing else is said.
TURNS = 5
#: Examples of an action below which more are looked for.
FEW = 20
#: Steps that are made at random after such an example.
_ONWARD = 6
#: Rounds of probes after the last turn, at most.
_MAX_PROBED = 5
#: How often operators are learned in a turn, at most.
_MAX_FITS = 5
_NAME = "learned"
_NO_DISAGREEMENT = "probes: no disagreement with the learned model"


def learn_in_turns(
    explorers: Sequence[Explorer],
    bias: Bias,
    *,
    turns: int = TURNS,
    report: Callable[[str], None] = lambda text: None,
) -> tuple[Operator, ...]:
    """The operators that walks in these tasks of one domain teach; the explorers have the walks.

    Each task gets the walks of its settings, and in each turn but the first at most about as many again that
    lead to actions which seldom ran; its queries bound all of them. When the seconds of an explorer are spent
    no further turn is begun, but what was seen is learned from. `report` gets a line on each turn. Raises
    ValueError without a turn, or for states that are seen in part.
    """
    if not explorers or turns < 1 or any(each.settings.observed < 1 for each in explorers):
        raise ValueError("learning in turns needs a task, a turn, and states that are seen whole")
    turns = min(turns, *(explorer.settings.walks for explorer in explorers))
    found = _Fitted((), "", [None] * len(explorers))
    for turn in range(turns):
        for explorer, model in zip(explorers, found.models, strict=True):
            walks = explorer.settings.walks
            share = walks * (turn + 1) // turns - walks * turn // turns
            if model is None:
                explorer.wander(share)
                continue
            wanting = _wanting(found.operators)
            explorer.follow(explorer.leading_to(wanting, -(-share // max(1, len(wanting)))), _ONWARD)
            explorer.follow(novel_walks(model, frozenset(explorer.facts), share - share // 2))
            explorer.wander(share // 2)
        found = _fitted(explorers, bias, found)
        report(_progress(f"turn {turn + 1} of {turns}", explorers, found.operators))
        if _are_late(explorers):
            report(f"time is up: {_turns_from(turn + 2, turns)}the probes were left out")
            return found.operators
    for left in reversed(range(_MAX_PROBED)):
        asked = [e for e, model in zip(explorers, found.models, strict=True) if model is not None]
        refused = [walk for e in asked if (walk := e.probe(_problem(e, found.domain))) is not None]
        late = _are_late(explorers)  # probes end where time does
        # states that probes lead to are held against the model, too
        found = _fitted(explorers, bias, found)
        if not refused:
            report("time is up: not all probes were made" if late else _NO_DISAGREEMENT)
            break
        report(_progress("probes", explorers, found.operators) if left else _disagreement(refused[0]))
    return found.operators


def _turns_from(turn: int, turns: int) -> str:
    return f"the turns from {turn} on and " if turn <= turns else ""


def _are_late(explorers: Sequence[Explorer]) -> bool:
    return any(explorer.is_late for explorer in explorers)


def _wanting(operators: Sequence[Operator]) -> frozenset[str]:
    """The actions that seldom ran, or of which something is not explained."""
    return frozenset(o.action for o in operators if o.unexplained or o.executed < FEW)


class _Fitted(NamedTuple):
    """What was learned, and what it makes of the tasks; None of those too large to be ground."""

    operators: tuple[Operator, ...]
    domain: str
    models: list[ProbedTask | None]


def _fitted(explorers: Sequence[Explorer], bias: Bias, before: _Fitted) -> _Fitted:
    """Operators that are right about all states seen, as far as may be.

    The lean bias takes refusals as searched for, as long as the models that it leads to are not too large to
    be held against the states.
    """
    refusals_searched = bias is Bias.LEAN
    for _ in range(_MAX_FITS):
        before = _learned(explorers, bias, before, refusals_searched)
        if refusals_searched and None in before.models:
            refusals_searched = False
            before = _learned(explorers, bias, before, refusals_searched)
        doubtful = {operator.action for operator in before.operators if operator.unexplained}
        compared = zip(explorers, before.models, strict=True)
        new = sum(e.compare(model, doubtful) for e, model in compared if model is not None)
        if not new or _are_late(explorers):
            break
    return before


def _learned(explorers: Sequence[Explorer], bias: Bias, before: _Fitted, refusals_searched: bool) -> _Fitted:
    """Operators of what was seen by now, and their models."""
    for explorer in explorers:
        explorer.refusals_searched = refusals_searched
    traces = explored(explorers).traces
    operators = learn_operators(traces, bias)
    domain = domain_of(traces.vocabulary, operators, _NAME)
    same = domain == before.domain
    return _Fitted(operators, domain, before.models if same else [_model(e, domain) for e in explorers])


def _model(explorer: Explorer, domain: str) -> ProbedTask | None:
    """The task under learned rules; None if it is too large to be ground."""
    problem = _problem(explorer, domain)
    with suppress(GroundingExploded):
        return ProbedTask(problem, limits_of(problem), contexts=False)
    return None


def _problem(explorer: Explorer, domain: str) -> Problem:
    return read_problem(shown_problem(explorer.world, _NAME), read_domain(domain))


def _disagreement(refused: RefusedWalk) -> str:
    *before, last = refused.walk
    side = "the world" if refused.direction is Direction.BACKWARD else "the model"
    return f"probes: {side} refused {last} after {' '.join(before) or 'nothing'}, and more may be unknown"


def _progress(stage: str, explorers: Sequence[Explorer], operators: Sequence[Operator]) -> str:
    states, queries = sum(len(e.facts) for e in explorers), sum(e.walks.queries for e in explorers)
    left = sum(len(operator.unexplained) for operator in operators)
    found = f"{len(operators)} actions learned, {left} changes or refusals unexplained"
    return f"{stage}: {states:,} states, {queries:,} queries, {found}"
