"""Operators from traces whose arguments are known: preconditions and effects, action by action.

The result depends on which steps there are, not on their order. `laws.violations` says whether the traces
satisfy what was learned of them; `Operator.unexplained` says what of the traces no such operator explains.
"""

from __future__ import annotations

from agents.operators.effects import Effects, learn_effects
from agents.operators.examples import Example, Examples, Sorts, examples_of, sorts_of
from agents.operators.lifted import Operator
from agents.operators.preconditions import Bias, Preconditions, learn_preconditions
from envs.pddl.traces.check import refuse_contradictions, without_contradictions
from envs.pddl.traces.trace import Traces

#: Unexplained refusals of one operator that are told.
MAX_TOLD = 5


def learn_operators(
    traces: Traces, bias: Bias = Bias.PLAIN, *, lenient: bool = False
) -> tuple[Operator, ...]:
    """An operator for each action that ran in some step with arguments, sorted by name.

    Raises TraceError if an operator has two outcomes in one state; `lenient` leaves such steps out.
    """
    if lenient:
        traces = without_contradictions(traces)
    else:
        refuse_contradictions(traces)
    sorts = sorts_of(traces)
    seen = (examples_of(traces, action) for action in sorted(traces.vocabulary.actions))
    return tuple(_learn(examples, traces, bias, sorts) for examples in seen if examples.executed)


def _learn(seen: Examples, traces: Traces, bias: Bias, sorts: Sorts) -> Operator:
    needed = learn_preconditions(seen, traces.vocabulary, bias, sorts)
    changed = learn_effects(seen, needed.kept)
    return Operator(
        seen.name,
        seen.parameters,
        needed.kept,
        changed.kept,
        executed=len(seen.executed),
        refused=len(seen.refused),
        proven=needed.proven,
        undetermined=needed.undetermined,
        undetermined_effects=changed.undetermined,
        unexplained=_unexplained(needed, changed),
    )


def _unexplained(needed: Preconditions, changed: Effects) -> tuple[str, ...]:
    refused = [_refusal(example) for example in needed.unexplained]
    return tuple(sorted((*sorted(refused)[:MAX_TOLD], *changed.unexplained)))


def _refusal(example: Example) -> str:
    where = f" ({example.step.place})" if example.step.place else ""
    return f"{example.step.operator} was refused though everything held that ever held when it ran{where}"
