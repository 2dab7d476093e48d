"""Whether traces satisfy learned operators: the check that every learner's result has to pass.

Written for sets of atoms and one step at a time, apart from the truth tables of the learner. A partial state
is satisfied by what it may be. Of an action that has several operators, or whose traces do not name the
arguments, a step is satisfied if some operator does it under some binding of its parameters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod

from agents.operators.lifted import EQUAL, Literal, Operator
from agents.operators.matching import MAX_BINDINGS, TooLoose, explains
from envs.pddl.language.vocabulary import Vocabulary
from envs.pddl.traces.trace import SeenState, Step, Trace, Traces

Binding = Mapping[str, str]


def violations(operators: Sequence[Operator], traces: Traces) -> Iterator[str]:
    """Every step that the operators do not explain, in words; steps of other actions are passed over.

    An executed step must be applicable and lead to its next state; a refused one with known arguments must
    not be applicable for certain.
    """
    by_action: dict[str, list[Operator]] = {}
    for operator in operators:
        by_action.setdefault(operator.action, []).append(operator)
    for trace in traces.traces:
        for number, step in enumerate(trace.steps):
            own = by_action.get(step.action)
            if own is not None and (why := _unexplained(own, trace, step, traces.vocabulary)):
                yield f"step {number + 1} of trace {trace.name}, {step.operator}: {why}"


def _unexplained(operators: Sequence[Operator], trace: Trace, step: Step, words: Vocabulary) -> str | None:
    """Why no operator explains a step, in words; None if one does."""
    try:
        return None if _explained(operators, trace, step, words) else _why(step)
    except TooLoose as error:
        return f"not checked, since its arguments are not named and {error}"


def _why(step: Step) -> str:
    if step.executable:
        return "the world executes it, and no operator leads from state to state"
    return "the world refuses it, and an operator would run"


def _explained(operators: Sequence[Operator], trace: Trace, step: Step, vocabulary: Vocabulary) -> bool:
    before = trace.state(step.before)
    after = None if step.after is None else trace.state(step.after)
    if not step.executable:
        known = [operator for operator in operators if _takes(operator, step)]
        return not any(_runs(o, o.bound(step.arguments), before, certain=True) for o in known)
    seen_whole = after is not None and before.whole and after.whole
    unnamed = seen_whole and not any(_takes(operator, step) for operator in operators)
    # quick where every effect changes something; for the rest, bindings are listed
    if unnamed and any(explains(operator, trace, step, vocabulary.types) for operator in operators):
        return True
    return any(
        _runs(operator, binding, before) and _leads(operator, binding, before, after)
        for operator in operators
        for binding in _bindings(operator, trace, step, vocabulary)
    )


def _takes(operator: Operator, step: Step) -> bool:
    """Whether the step's arguments are those of the operator."""
    return operator.takes_arguments and len(operator.parameters) == len(step.arguments)


def _bindings(operator: Operator, trace: Trace, step: Step, vocabulary: Vocabulary) -> Iterator[Binding]:
    """The step's own arguments if it names them for this operator, else every typed binding.

    Raises TooLoose if these are too many.
    """
    if _takes(operator, step):
        yield operator.bound(step.arguments)
        return
    fitting = [
        [o for o, own in trace.objects.items() if vocabulary.types.is_subtype(own, kind)]
        for _, kind in operator.parameters
    ]
    if prod(map(len, fitting)) > MAX_BINDINGS:
        raise TooLoose(operator.name)
    for objects in product(*fitting):
        yield operator.bound(objects)


def _runs(operator: Operator, binding: Binding, state: SeenState, *, certain: bool = False) -> bool:
    """Whether it may run in what the state may be; `certain`: whether it must."""
    return all(_holds(literal, binding, state, certain) for literal in operator.preconditions)


def _holds(literal: Literal, binding: Binding, state: SeenState, certain: bool) -> bool:
    if literal.predicate == EQUAL:
        one, other = (binding.get(term, term) for term in literal.terms)
        return (one == other) == literal.positive
    atom = literal.ground(binding)
    true, false = atom in state.true, state.whole or atom in (state.false or ())
    if certain:
        return true if literal.positive else false and not true
    return (true or not false) if literal.positive else not true


def _leads(operator: Operator, binding: Binding, before: SeenState, after: SeenState | None) -> bool:
    """Whether the state after it may be the one that was seen."""
    if after is None:
        return True
    adds = frozenset(e.ground(binding) for e in operator.effects if e.positive)
    deletes = frozenset(e.ground(binding) for e in operator.effects if not e.positive)
    true = before.true - deletes | adds
    if before.false is None:
        return SeenState(true).allows(after)
    return SeenState(true, before.false - adds | deletes - adds).allows(after)
