"""Operators held against traces: the bindings under which literals hold, and steps that no operator explains.

`bindings` is a small join by backtracking: always the literal with most terms bound is matched next. Meant
for single operators in single states, as `envs.pddl.traces.trace` keeps them; walks and worlds have faster
ways of their own. What a language model wrote may tie its variables so loosely that the search would never
end: it is bounded.

`violations` is the check that every learner's result has to pass. It is written for sets of atoms and one
step at a time, apart from the truth tables of the learner. A partial state is satisfied by what it may be. Of
an action that has several operators, or whose traces do not name the arguments, a step is satisfied if some
operator does it under some binding of its parameters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from agents.operators.lifted import EQUAL, Condition, NamedLiteral, Operator, fitting, is_variable
from envs.pddl.language.domain import GroundAtom
from envs.pddl.language.vocabulary import Parameters, Types, Vocabulary
from envs.pddl.traces.trace import SeenState, Step, Trace, Traces

Binding = Mapping[str, str]
#: Partial bindings of one search; that of a rule with few ties takes some hundreds.
MAX_BINDINGS = 200_000
#: A literal, and the facts that it is matched with, by predicate.
_Wanted = tuple[NamedLiteral, Mapping[str, Sequence[GroundAtom]]]


class TooLoose(ValueError):
    """An operator, by its name, with too many bindings to be looked at one by one."""

    def __str__(self) -> str:
        return (
            f"the conditions of {self.args[0]} tie its variables so loosely that they cannot be checked: "
            "use fewer variables, or tie them together"
        )


@dataclass
class BindingLimit:
    """How many bindings a search may still look at; `name` is what it is about."""

    name: str
    left: int

    def take(self) -> None:
        """One binding more. Raises TooLoose."""
        self.left -= 1
        if self.left < 0:
            raise TooLoose(self.name)


def by_predicate(facts: Iterable[GroundAtom]) -> dict[str, list[GroundAtom]]:
    """The facts by their predicates, sorted."""
    found: dict[str, list[GroundAtom]] = {}
    for fact in sorted(facts):
        found.setdefault(fact[0], []).append(fact)
    return found


def bindings(
    literals: Iterable[NamedLiteral],
    facts: Mapping[str, Sequence[GroundAtom]],
    start: Binding | None = None,
    limit: BindingLimit | None = None,
) -> Iterator[Binding]:
    """All bindings that extend `start` and make every literal, whatever its sign, one of the facts.

    Raises TooLoose past the limit, if there is one.
    """
    yield from _bindings([(literal, facts) for literal in literals], start or {}, limit)


def explains(operator: Operator, trace: Trace, step: Step, types: Types) -> bool:
    """Whether under some binding of its parameters the operator leads from the step's state to the next.

    Its arguments are not looked at. The step must be executed, and both states whole. Raises TooLoose.
    """
    assert step.after is not None, "a step that was seen whole"
    here, reached = _Place(trace.state(step.before), trace.objects, types), trace.state(step.after)
    before, after = here.state.true, reached.true
    held, lost, gained = map(by_predicate, (before, before - after, after - before))
    wanted: list[_Wanted] = [
        (effect, gained if effect.positive else lost)
        for effect in operator.effects
        if effect not in operator.preconditions
    ]
    needed = [p for p in operator.preconditions if p.positive and p.predicate != EQUAL]
    limit = BindingLimit(operator.name, MAX_BINDINGS)
    for found in _bindings([*wanted, *((literal, held) for literal in needed)], {}, limit):
        for binding in completed(operator.parameters, found, trace.objects, types):
            limit.take()
            if _runs(operator, binding, here) and _leads(operator, binding, here, reached):
                return True
    return False


@dataclass(frozen=True)
class _Place:
    """A state, and the objects that quantifiers range over."""

    state: SeenState
    objects: Mapping[str, str]
    types: Types

    def choices(self, variables: Parameters, binding: Binding) -> Iterator[Binding]:
        """The binding with all objects that fit in place of the variables."""
        names = [variable for variable, _ in variables]
        for chosen in product(*fitting(self.objects, variables, self.types)):
            yield {**binding, **dict(zip(names, chosen, strict=True))}


def completed(
    parameters: Parameters, found: Binding, objects: Mapping[str, str], types: Types
) -> Iterator[Binding]:
    """The binding with every object that fits for what it does not bind; none if types clash."""
    members = []
    for variable, kind in parameters:
        options = {found[variable]: objects[found[variable]]} if variable in found else objects
        members += fitting(options, ((variable, kind),), types)
    names = [variable for variable, _ in parameters]
    for chosen in product(*members):
        yield dict(zip(names, chosen, strict=True))


def _bindings(
    wanted: Sequence[_Wanted], binding: Binding, limit: BindingLimit | None = None
) -> Iterator[Binding]:
    if limit is not None:
        limit.take()
    if not wanted:
        yield binding
        return
    known = [sum(t in binding or not is_variable(t) for t in literal.terms) for literal, _ in wanted]
    place = known.index(max(known))  # the literal with most terms bound
    literal, facts = wanted[place]
    rest = [*wanted[:place], *wanted[place + 1 :]]
    for fact in facts.get(literal.predicate, ()):
        extended = _extended(literal, fact, binding)
        if extended is not None:
            yield from _bindings(rest, extended, limit)


def _extended(literal: NamedLiteral, fact: GroundAtom, binding: Binding) -> Binding | None:
    """The binding under which the literal is the fact; None if there is none."""
    if len(fact) != len(literal.terms) + 1:
        return None
    found = dict(binding)
    for term, name in zip(literal.terms, fact[1:], strict=True):
        if (found.setdefault(term, name) if is_variable(term) else term) != name:
            return None
    return found


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
        if _explained(operators, trace, step, words):
            return None
    except TooLoose as error:
        return f"not checked, since its arguments are not named and {error}"
    if step.executable:
        return "the world executes it, and no operator leads from state to state"
    return "the world refuses it, and an operator would run"


def _explained(operators: Sequence[Operator], trace: Trace, step: Step, vocabulary: Vocabulary) -> bool:
    before = _Place(trace.state(step.before), trace.objects, vocabulary.types)
    after = None if step.after is None else trace.state(step.after)
    if not step.executable:
        known = [operator for operator in operators if _takes(operator, step)]
        return not any(_runs(o, o.bound(step.arguments), before, certain=True) for o in known)
    seen_whole = after is not None and before.state.whole and after.whole
    unnamed = seen_whole and not any(_takes(operator, step) for operator in operators)
    # quick where every effect changes something; for the rest, bindings are listed
    if unnamed and any(explains(operator, trace, step, vocabulary.types) for operator in operators):
        return True
    return any(
        _runs(operator, binding, before) and _leads(operator, binding, before, after)
        for operator in operators
        for binding in _bindings_of_step(operator, trace, step, vocabulary)
    )


def _takes(operator: Operator, step: Step) -> bool:
    """Whether the step's arguments are those of the operator."""
    return operator.takes_arguments and len(operator.parameters) == len(step.arguments)


def _bindings_of_step(
    operator: Operator, trace: Trace, step: Step, vocabulary: Vocabulary
) -> Iterator[Binding]:
    """The step's own arguments if it names them for this operator, else every typed binding.

    Raises TooLoose if these are too many.
    """
    if _takes(operator, step):
        yield operator.bound(step.arguments)
        return
    members = fitting(trace.objects, operator.parameters, vocabulary.types)
    if prod(map(len, members)) > MAX_BINDINGS:
        raise TooLoose(operator.name)
    yield from map(operator.bound, product(*members))


def _runs(operator: Operator, binding: Binding, here: _Place, *, certain: bool = False) -> bool:
    """Whether it may run in what the state may be; `certain`: whether it must."""
    return all(_holds(literal, binding, here.state, certain) for literal in operator.preconditions) and all(
        any(_met(condition, binding, here, certain) for condition in clause) for clause in operator.clauses
    )


def _met(condition: Condition, binding: Binding, here: _Place, certain: bool) -> bool:
    """Whether a condition may hold; `certain`: whether it must, as far as single literals say."""
    found = any(
        all(
            _holds(literal, choice, here.state, certain == condition.positive)
            for literal in condition.literals
        )
        for choice in here.choices(condition.variables, binding)
    )
    return found == condition.positive


def _holds(literal: NamedLiteral, binding: Binding, state: SeenState, certain: bool) -> bool:
    if literal.predicate == EQUAL:
        return literal.holds(binding, state.true)
    atom = literal.ground(binding)
    true, false = atom in state.true, state.whole or atom in (state.false or ())
    if certain:
        return true if literal.positive else false and not true
    return (true or not false) if literal.positive else not true


def _leads(operator: Operator, binding: Binding, here: _Place, after: SeenState | None) -> bool:
    """Whether the state after it may be the one that was seen."""
    if after is None:
        return True
    before = here.state
    adds, may_add = (_changed(operator, binding, here, True, certain) for certain in (True, False))
    deletes, may_delete = (_changed(operator, binding, here, False, certain) for certain in (True, False))
    true = before.true - may_delete | adds
    if before.false is None:
        return SeenState(true).allows(after)
    return SeenState(true, before.false - may_add | deletes - may_add).allows(after)


def _changed(
    operator: Operator, binding: Binding, here: _Place, positive: bool, certain: bool
) -> frozenset[GroundAtom]:
    """The atoms that it may add (`positive`) or delete; `certain`: that it must."""
    found = operator.changed(binding, positive)
    for each in operator.conditional:
        if each.effect.positive == positive:
            found |= {
                each.effect.ground(choice)
                for choice in here.choices(each.variables, binding)
                if all(_met(condition, choice, here, certain) for condition in each.conditions)
            }
    return found
