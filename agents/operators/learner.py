"""Operators from traces whose arguments are known: preconditions and effects, action by action.

The result depends on which steps there are, not on their order. `matching.violations` says whether the traces
satisfy what was learned of them; `Operator.unexplained` says what of the traces no such operator explains.

Effects are without conditions and quantifiers. An atom that became true when an operator ran was added by it,
if no other run of the action left it false; one that became false was deleted, if no other run left it true,
save where the same run also adds it: what is both deleted and added stays true. Where arguments are equal, or
are constants, one change may be that of several lifted atoms: then each of them is an effect as far as
nothing refutes it, and is undetermined unless some run shows it alone. So is what states that were only seen
in part may hide. What was seen and never changed is no effect. What changed and is no effect of this form (an
object beside the arguments, a condition, a quantifier) is not guessed at: it is listed.

Preconditions are an intersection, and what refusals say of it. A literal that was false in an example that
ran is no precondition. All others may be: to keep every one of them is safe, as whatever runs then did run in
a state like it; to keep fewer is a guess about states that were not seen. Where an example was refused and a
single literal could be why, that literal is needed: it is proven. Which of the others are kept is the bias:

  lean      atoms. Where there are refusals, only those that `plain` keeps; of constants alone, only those
            that a refusal asks for or whose constants stand in what is deleted or proven, as
            `(open_action act_build)` may hold throughout the tasks seen and be of another action; of a
            symmetric relation (`symmetries`), one order of two that say the same. Negations and inequalities
            only where a refusal asks for them or, unless refusals were searched for, could not have shown
            them: a world does not list what never runs, so that nothing is tried with equal objects, or
            against an atom that no action changes. Where states are whole and nothing is flipped, no
            redundant literals (`redundant`): static ones that the others imply, and, where refusals were
            searched for, any that no refusal needs, but for static atoms, atoms that are deleted, and atoms
            of constants alone. Effects over arguments that coincided whenever the change was seen: as few as
            explain it, the rest may be. Partial states are filled (`inertia`), and again by the operators
            learned of them; where nothing was refused, an atom of which nothing is known is kept
  safe      all: the intersection of all states that it ran in, with negations and inequalities
  plain     atoms, and negations that name no constant, save those that all states satisfy for all objects
            of such types, as these exclude nothing; and inequalities of one type; of the rest, what
            refusals ask for. A negation of a constant would say "none of the kinds that were not seen": a
            list, not a rule
  smallest  what refusals ask for, and nothing else: a set cover, found greedily

Where observations are flipped, what is likely takes the place of what is refuted (`noisy`).

Sources: the intersection is that of Siegel et al. 2024, over all arguments instead of those of the effects;
that of refused examples is the version space of Mitchell 1982 for conjunctions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from agents.operators.conditional import clauses_of, conditional_effects
from agents.operators.effects import (
    MAX_LISTED,
    alone,
    also_at,
    changes_unexplained,
    few_that_explain,
    in_words,
)
from agents.operators.examples import (
    AtomTruth,
    Example,
    Examples,
    Sorts,
    Table,
    consistent,
    equal_terms,
    equalities_of,
    examples_of,
    greedy_cover,
    some,
    sorts_of,
)
from agents.operators.inertia import changes_of, filled
from agents.operators.lifted import EQUAL, NamedLiteral, Operator
from agents.operators.noisy import Likely, likely
from agents.operators.redundant import StaticFacts, implied, removal_order, static_facts, unneeded
from agents.operators.symmetries import Symmetries
from envs.pddl.language.vocabulary import Vocabulary
from envs.pddl.traces.trace import Trace, Traces

#: How often partial states are filled by what was learned of them, at most.
_MOST_FILLS = 3


class Bias(StrEnum):
    """Which literals are kept that nothing decides; see the module."""

    LEAN = "lean"
    SAFE = "safe"
    PLAIN = "plain"
    SMALLEST = "smallest"


@dataclass(frozen=True)
class _Known:
    """What all actions of some traces are learned with."""

    bias: Bias
    vocabulary: Vocabulary
    noise: float  #: the probability that an observation is flipped
    sorts: Sorts  #: of all traces
    symmetries: Symmetries
    refusals: bool  #: whether some operator was refused, or would have been noted
    changed: frozenset[str]  #: predicates of which some action changed an atom
    exact: bool  #: whether all states are whole, and nothing is flipped
    static: tuple[StaticFacts, ...]  #: of each task
    refusals_searched: bool  #: as `Traces.refusals_searched`


def _with_preconditions(operator: Operator, seen: Examples, known: _Known, guess: Likely | None) -> Operator:
    """The operator, which has its effects, with preconditions, for an action that ran in some example."""
    literals, holds, fails = _possible(seen, known, guess)
    blamed = ~holds  # a literal that may be false counts: an unknown one may be why
    # So does an atom of which nothing is known whenever it ran: it, or its negation, may be why.
    hidden = not some(seen.before.known).all()
    single = (np.count_nonzero(blamed, axis=1) == 1) & (not hidden) & (not known.noise)
    proven = some(blamed[single])
    kinds = dict(seen.parameters)
    named = frozenset(t for q in (*_consumed(operator), *_chosen(literals, proven)) for t in q.terms)
    favoured = [_favoured(literal, kinds, named, known) for literal in literals]
    kept = proven | np.array(favoured, dtype=np.bool_)
    # more than flips would make unexplained, twice over
    least = 1 + int(2 * known.noise * len(seen.refused))
    if known.bias is Bias.LEAN:
        asked = np.count_nonzero(fails[~fails[:, kept].any(axis=1)], axis=0) >= least
        lists = [(_never_tried(q, kinds, known), not q.names_constants) for q in literals]
        untried, free = np.array(lists, dtype=np.bool_).reshape(-1, 2).T
        kept |= untried & ~some(fails) | free & asked
    kept[greedy_cover(fails[~fails[:, kept].any(axis=1)], least)] = True
    if known.bias is Bias.LEAN:
        again = known.symmetries.again(_chosen(literals, kept), seen.parameters)
        kept &= proven | np.array([literal not in again for literal in literals], dtype=np.bool_)
        if known.exact and known.refusals:
            kept &= ~_redundant(literals, kept, proven, fails, operator, known)
    refused = [e for e, why in zip(seen.refused, blamed, strict=True) if not (hidden or why.any())]
    clauses, refused = clauses_of(seen, refused, known.vocabulary) if known.exact else ((), refused)
    return replace(
        operator,
        preconditions=_chosen(literals, kept),
        clauses=clauses,
        executed=len(seen.executed),
        refused=len(seen.refused),
        proven=_chosen(literals, proven),
        undetermined=_chosen(literals, ~proven),
        unexplained=tuple(sorted((*sorted(map(_refusal, refused))[:MAX_LISTED], *operator.unexplained))),
    )


def _redundant(
    literals: Sequence[NamedLiteral],
    kept: Table,
    proven: Table,
    fails: Table,
    operator: Operator,
    known: _Known,
) -> Table:
    """Of the literals kept, those that exclude nothing beside the others (`redundant`)."""
    index = {literal: i for i, literal in enumerate(literals)}
    chosen, sure = {*_chosen(literals, kept)}, {*_chosen(literals, proven)}
    lasting = {literal for literal in chosen if literal.predicate not in known.changed}
    gone = implied(lasting, sure, operator.parameters, known.static, known.vocabulary)
    found = np.array([literal in gone for literal in literals], dtype=np.bool_)
    if known.refusals_searched:
        stays = {q for q in (*lasting, *_consumed(operator)) if q.positive}
        stays |= {q for q in chosen if q.positive and q.only_constants}
        places = [index[literal] for literal in removal_order(chosen - gone - stays, operator.parameters)]
        found |= unneeded(fails, kept & ~found, places)
    return found


def _consumed(operator: Operator) -> list[NamedLiteral]:
    """The atoms that it deletes, on a condition or without one."""
    own = (each.effect for each in operator.conditional if not each.variables)
    return [effect.negated for effect in (*operator.effects, *own) if not effect.positive]


def _refusal(example: Example) -> str:
    where = f" ({example.step.place})" if example.step.place else ""
    return f"{example.step.operator} was refused though everything held that ever held when it ran{where}"


def _favoured(literal: NamedLiteral, kinds: Mapping[str, str], named: frozenset[str], known: _Known) -> bool:
    """Whether the bias keeps a literal though nothing proves it.

    `kinds` are the parameters' types, `named` the terms of what it deletes and of what is proven.
    """
    if known.bias in (Bias.SAFE, Bias.SMALLEST):
        return known.bias is Bias.SAFE
    if known.bias is Bias.LEAN:
        if not literal.positive or literal.predicate == EQUAL:
            return False
        if not known.refusals or (literal.only_constants and not named.issuperset(literal.terms)):
            return not known.refusals
    return _excludes(literal, kinds, known)


def _never_tried(literal: NamedLiteral, kinds: Mapping[str, str], known: _Known) -> bool:
    """Whether a negation is of a kind that refusals do not show, where there are some.

    A world lists no operator that never runs, so that nothing is tried with equal objects, or against an atom
    that no action changes.
    """
    lasting = literal.predicate == EQUAL or literal.predicate not in known.changed
    shown = known.refusals_searched or not known.refusals
    return not shown and lasting and not literal.positive and _excludes(literal, kinds, known)


def _excludes(literal: NamedLiteral, kinds: Mapping[str, str], known: _Known) -> bool:
    """Whether `plain` keeps a literal though nothing proves it."""
    vocabulary, sorts = known.vocabulary, known.sorts
    if literal.names_constants:
        return literal.positive and literal.predicate != EQUAL
    if literal.predicate == EQUAL:
        return literal.positive or len({kinds[term] for term in literal.terms}) == 1
    # what holds everywhere of objects of its variables' types excludes nothing
    wanted = [kinds[term] for term in literal.terms]
    return any(
        name == literal.predicate
        and all(vocabulary.types.is_subtype(o, k) for o, k in zip(own, wanted, strict=True))
        for name, own in (sorts.untrue if literal.positive else sorts.true)
    )


def _possible(
    seen: Examples, known: _Known, guess: Likely | None
) -> tuple[tuple[NamedLiteral, ...], Table, Table]:
    """Literals that no example that ran refutes, and that at least one of them is known to satisfy.

    With a guess, those that are likely to hold always.

    Atoms come first; beside them, where they are known to hold and where not to, shape (refused, literals).
    """
    true, false = _signed(seen.before)
    if guess is not None:
        possible = np.concatenate([guess.always, guess.never])
    elif known.bias is Bias.LEAN and not known.refusals:  # atoms, as long as nothing is known of them
        unknown = ~some(seen.before.known)
        possible = ~some(false) & (some(true) | np.concatenate([unknown, np.zeros_like(unknown)]))
    else:
        possible = ~some(false) & some(true)
    equalities = _equalities(seen, known.vocabulary)
    equal, (holds, fails) = equal_terms(equalities, seen.refused), _signed(seen.refused_in)
    return (
        (*_of(seen.literals, possible), *equalities),
        np.concatenate([holds[:, possible], equal], axis=1),
        np.concatenate([fails[:, possible], ~equal], axis=1),
    )


def _signed(truth: AtomTruth) -> tuple[Table, Table]:
    """Which of `Examples.literals` are known to hold, and which not to; shape (examples, literals)."""
    tables = truth.true, truth.false
    return np.concatenate(tables, axis=1), np.concatenate(tables[::-1], axis=1)


def _equalities(seen: Examples, vocabulary: Vocabulary) -> tuple[NamedLiteral, ...]:
    """The equalities of two terms that held whenever it ran, and then the negations that did."""
    equalities = equalities_of(seen.parameters, vocabulary)
    literals = (*equalities, *(e.negated for e in equalities))
    return _of(literals, ~some(~equal_terms(literals, seen.executed)))


def _of(literals: Sequence[NamedLiteral], mask: Table) -> tuple[NamedLiteral, ...]:
    return tuple(literals[i] for i in np.flatnonzero(mask).tolist())


def _chosen(literals: Sequence[NamedLiteral], mask: Table) -> tuple[NamedLiteral, ...]:
    return tuple(sorted(_of(literals, mask)))


def _with_effects(seen: Examples, known: _Known, guess: Likely | None) -> Operator:
    """The operator with its effects alone."""
    before, after = seen.before, seen.after
    became_true, became_false = before.false & after.true, before.true & after.false
    may_add = some(became_true) & ~some(after.false) if guess is None else some(became_true) & guess.added
    lean = known.bias is Bias.LEAN
    adds = few_that_explain(became_true, may_add, seen.places) if lean else may_add
    readded = also_at(seen.places, adds)
    may_delete = some(became_false)
    may_delete &= ~some(after.true & ~readded) if guess is None else guess.deleted
    deletes = few_that_explain(became_false, may_delete, seen.places) if lean else may_delete
    shown = alone(became_true, may_add, seen.places), alone(became_false, may_delete, seen.places)
    hidden = (
        some(~before.known & after.true) & ~some(after.false),
        some(~before.known & after.false) & ~some(after.true & ~readded),
    )
    maybe = np.concatenate([may_add | hidden[0], may_delete | hidden[1]]) & ~np.concatenate(shown)
    changes = list(changes_unexplained(seen, adds, deletes))
    conditional = conditional_effects(seen, adds, changes, known.vocabulary) if known.exact else ()
    explained = {(each.effect.predicate, each.effect.positive) for each in conditional}
    left = (change for change in changes if (change.predicate, change.became) not in explained)
    return Operator(
        seen.name,
        seen.parameters,
        (),
        effects=_chosen(seen.literals, np.concatenate([adds, deletes])),
        conditional=conditional,
        undetermined_effects=_chosen(seen.literals, maybe),
        unexplained=tuple(sorted(in_words(seen, left))),
    )


def learn_operators(
    traces: Traces, bias: Bias = Bias.PLAIN, *, lenient: bool = False, noise: float = 0.0
) -> tuple[Operator, ...]:
    """An operator for each action that ran in some step with arguments, sorted by name.

    `noise`, in [0, 1/2), is the probability that an observation of an atom is flipped: then nothing is proven
    or refuted, and what is most likely is taken (`noisy`). Raises TraceError if an operator has two outcomes
    in one state, unless there is noise; `lenient` leaves such steps out.
    """
    if not noise:
        traces = consistent(traces, lenient=lenient)
    if bias is Bias.LEAN:
        traces = filled(traces)
    found, examples = _learned(traces, bias, noise)
    if bias is Bias.LEAN and not noise and not all(trace.whole.all() for trace in traces.traces):
        return _by_what_was_learned(traces, found, examples)
    return found


def _by_what_was_learned(
    traces: Traces, first: tuple[Operator, ...], examples: Sequence[Examples]
) -> tuple[Operator, ...]:
    """Operators of partial states that are filled by operators learned of them before, some times over."""
    found, seen = first, traces
    for _ in range(_MOST_FILLS):
        before = found
        seen = filled(traces, changes_of(seen, examples, before))
        found, examples = _learned(seen, Bias.LEAN, 0.0)
        if found == before:
            break
    return tuple(_checked(*pair) for pair in zip(first, found, strict=True))


def _checked(first: Operator, found: Operator) -> Operator:
    """An operator learned of filled states, held against the `first` one, learned of what was observed.

    It is the first one if a literal that is proven is lost, or if something is unexplained that was not
    before: then what was filled contradicts what was observed. Only observations prove and rule out.
    """
    if not {*first.proven} <= {*found.preconditions} or not {*found.unexplained} <= {*first.unexplained}:
        return first
    maybe = {*first.undetermined_effects, *found.undetermined_effects} - {*found.effects}
    return replace(
        found,
        proven=first.proven,
        undetermined=tuple(
            sorted({*first.undetermined, *found.undetermined, *found.proven} - {*first.proven})
        ),
        undetermined_effects=tuple(sorted(maybe)),
    )


def _learned(traces: Traces, bias: Bias, noise: float) -> tuple[tuple[Operator, ...], list[Examples]]:
    """The operators, and the examples that they were learned from."""
    changed = frozenset(name for trace in traces.traces for name in _changed(trace))
    known = _Known(
        bias,
        traces.vocabulary,
        noise,
        sorts_of(traces),
        Symmetries(traces.traces, noise),
        traces.refusals_searched
        or any(not step.executable for trace in traces.traces for step in trace.steps),
        changed,
        not noise and all(bool(trace.whole.all()) for trace in traces.traces),
        static_facts(traces, changed) if bias is Bias.LEAN else (),
        traces.refusals_searched,
    )
    seen = [examples_of(traces, action) for action in sorted(traces.vocabulary.actions)]
    return tuple(_operator(examples, known) for examples in seen if examples.executed), seen


def _changed(trace: Trace) -> Iterator[str]:
    """The predicates of the atoms that hold in some states of a trace and not in others."""
    varies = (trace.holds & trace.known).any(axis=0) & (trace.known & ~trace.holds).any(axis=0)
    return (trace.atoms[i][0] for i in np.flatnonzero(varies).tolist())


def _operator(seen: Examples, known: _Known) -> Operator:
    guess = likely(seen, known.noise) if known.noise else None
    found = _with_preconditions(_with_effects(seen, known, guess), seen, known, guess)
    # what the preconditions make idle is not in doubt
    maybe = tuple(e for e in found.undetermined_effects if e not in found.preconditions)
    return replace(found, undetermined_effects=maybe)
