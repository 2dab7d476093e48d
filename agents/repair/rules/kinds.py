"""The kinds of structural edits, and the best of what they propose for what was seen of the world."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from sys import maxsize

from agents.repair.candidate import Candidate, Edit, EffectEdit
from agents.repair.constraints import fewest_edits
from agents.repair.rules.conditional import conditional_effects
from agents.repair.rules.given_conditions import conditions_of_effects, conditions_of_plain_effects
from agents.repair.rules.likeness import like_others
from agents.repair.rules.nested import nested_literals
from agents.repair.rules.new_predicate import new_predicates
from agents.repair.rules.quantified import quantified_preconditions
from agents.repair.rules.together import conjuncts_and_literals
from agents.repair.rules.variants import (
    Proposer,
    Variant,
    changed_repairs,
    parameter_lists,
    superfluous_parameters,
)
from agents.repair.search import Repairs
from envs.pddl.simulation.lifted import Literal, literals_of

#: Variants that explain most, which are looked at beside edits of literals.
MAX_BESIDE_LITERALS = 3


@dataclass(frozen=True, eq=False)
class JudgedVariant:
    """A variant, and the candidate with the variant's edits in its model."""

    variant: Variant
    candidate: Candidate
    #: others that explain everything by as many edits, with the same ones of effects and initial atoms
    equals: tuple[Variant, ...] = ()
    kind: int = maxsize  #: the place of its kind among `KINDS`; of equals, the first is better

    @property
    def rank(self) -> tuple[bool, float, int]:
        """Lower is better: what explains everything comes first, then what costs less; see `rank_of`."""
        return rank_of(self.candidate, self.variant.size)

    @property
    def order(self) -> tuple[tuple[bool, float, int], int]:
        """By `rank`, and of equals by kind."""
        return self.rank, self.kind


def _judged(repairs: Repairs, variant: Variant, kind: Proposer) -> JudgedVariant:
    """A variant of the model for what was seen."""
    candidate = changed_repairs(repairs, variant).candidate(variant.edits)
    return JudgedVariant(variant, candidate, kind=KINDS.index(kind))


def rank_of(candidate: Candidate, size: int = 0) -> tuple[bool, float, int]:
    """Of a candidate in a model that has changed by so much; of equals, fewer initial atoms are better.

    Where all is explained, nothing is in doubt and edits alone count, as in both searches for literals.
    """
    cost = candidate.weighed_cost if candidate.unexplained else candidate.cost
    return candidate.unexplained > 0, size + cost, candidate.starts


def best_variant(
    repairs: Repairs,
    found: Candidate,
    stop: Callable[[], bool],
    most: float | None = None,
    program_s: float = inf,
    only: Sequence[Proposer] = (),
    admits: Callable[[JudgedVariant], bool] = lambda one: True,
    first: Sequence[Proposer] = (),
) -> JudgedVariant | None:
    """The best variant that is better than `found`, the first of equals; None if there is none.

    Variants are proposed for `found`, for the model with the edits of new actions alone, and for it without
    what may stand in for a rule. Kinds behind one that explains everything, and that are no cheaper, are not
    asked; those behind a parameter or a condition of an effect are, unless it costs one edit alone, and those
    that are better of equals. Costly ones are not asked behind a quick one that explains all of one action
    and spoils nothing. Where `found` explains everything itself, only quick ones are asked, unless initial
    atoms or arguments that are named twice show that it stands in for another.
    With `most`, only those that explain everything for that cost at most are better than `found`; and, if it
    is infinite, those that explain all of one action and spoil nothing. `program_s` is the processor time of
    the program that chooses conjuncts, in seconds; `only` are the kinds to be asked, where these are not all.
    `admits` can reject a variant that is better. Other kinds than the `first` ones, if any, are asked only
    where one of these is better. Where none explains everything, those that explain most without edits of
    literals are tried beside the fewest of these.
    """
    limit = rank_of(found) if most is None else (False, most, maxsize)
    asks_all = found.unexplained > 0 if most is None else most >= NEW_PREDICATE
    costly = COSTLY if asks_all else _stood_in_for(repairs, found)
    worst = inf if limit[0] else limit[1]  # that is accepted, in cost
    better: list[JudgedVariant] = []
    alone: list[JudgedVariant] = []  # without edits of literals, but for those of new actions
    given = _of_new_actions(repairs, found)

    def is_accepted(one: JudgedVariant) -> bool:
        return one.rank < limit and admits(one)

    asked = _in_turn(only or (*QUICK, *costly), first)
    for number, kind in enumerate(asked, 1):
        if stop():
            break
        if first and kind not in first and not better:
            better += filter(is_accepted, _completed(repairs, found, better, alone, stop, program_s, worst))
            if not better:
                return None
        propose = _limited(kind, program_s, _least_cost(better))
        for base in _bases(kind, repairs, found):
            for variant in propose(repairs, base, stop):
                one = _judged(repairs, variant, kind)
                if variant.edits == given:
                    alone.append(one)
                is_better = one.rank < limit or (most == inf and _settles_an_action(one.candidate, found))
                if is_better and admits(one):
                    better.append(one)
            if any(one.rank <= (False, 1, 0) for one in better):
                break  # nothing costs less
        if _is_last(kind, found, better, asked[number:]):
            break
    better += filter(is_accepted, _completed(repairs, found, better, alone, stop, program_s, worst))
    best = min(better, key=lambda one: one.order, default=None)
    return best if best is None else replace(best, equals=_equals(best, better))


def _in_turn(kinds: Sequence[Proposer], first: Sequence[Proposer]) -> list[Proposer]:
    """Kinds in the order in which they are asked: the `first` ones, and what is quick before what is slow."""
    order = [*kinds]
    if {quantified_preconditions, conditions_of_effects} <= {*kinds}:
        order.remove(quantified_preconditions)
        order.insert(order.index(conditions_of_effects), quantified_preconditions)
    return sorted(order, key=lambda kind: bool(first) and kind not in first)


def _limited(kind: Proposer, cpu_s: float, below: float) -> Proposer:
    """A kind, with limits if it solves constraint programs."""
    if kind is new_predicates:
        return partial(new_predicates, cpu_s=cpu_s)
    if kind is conjuncts_and_literals:
        return partial(conjuncts_and_literals, cpu_s=cpu_s, below=below)
    return kind


def _is_last(
    kind: Proposer, found: Candidate, better: Sequence[JudgedVariant], others: Sequence[Proposer]
) -> bool:
    """Whether no `others` are asked behind this one."""
    if any(KINDS.index(other) < KINDS.index(kind) for other in others):
        return False  # of equal variants, theirs are better
    asked_first = (superfluous_parameters, conditions_of_effects)
    if _least_cost(better) <= (1 if kind in asked_first else NEW_PREDICATE):
        return True
    return kind is QUICK[-1] and any(_settles_an_action(one.candidate, found) for one in better)


def _least_cost(better: Sequence[JudgedVariant]) -> float:
    """What the cheapest costs of those that explain everything."""
    return min((one.rank[1] for one in better if not one.candidate.unexplained), default=inf)


def _completed(
    repairs: Repairs,
    found: Candidate,
    better: Sequence[JudgedVariant],
    alone: Sequence[JudgedVariant],
    stop: Callable[[], bool],
    program_s: float,
    most: float,
) -> Iterator[JudgedVariant]:
    """Variants that were proposed without edits, each with the fewest edits of literals that complete it.

    They are found if they cost `most` at the most. Where a rule and literals are wrong, the literals that
    explain most without the rule are not those that are needed beside it. None where all is explained, by
    what is `better`, or by the candidate if it has neither `stand_ins` nor fewer arguments than its
    predicates, or if a rule with an edit costs more. Parameters concern many actions, so they have to
    explain more than the model without them.
    """
    stands_in = found.unexplained or stand_ins(repairs, found) or with_fewer_arguments(repairs, found)
    if not stands_in or most < 2 or any(one.candidate.unexplained == 0 for one in better):
        return
    plain = rank_of(repairs.candidate(_of_new_actions(repairs, found)))
    likely = [one for one in alone if one.variant.actions or one.rank < plain]
    for one in sorted(likely, key=lambda one: one.order)[:MAX_BESIDE_LITERALS]:
        changed = changed_repairs(repairs, one.variant)
        cpu_s, below = program_s / MAX_BESIDE_LITERALS, most - one.variant.size + 1
        found = fewest_edits(changed, cpu_s, stop, patient=False, below=below).candidate
        if not found.unexplained:
            yield JudgedVariant(replace(one.variant, edits=found.edits), found)


def _bases(kind: Proposer, repairs: Repairs, found: Candidate) -> list[Candidate]:
    """The candidates that a kind is proposed for, in this order."""
    if not found.edits or kind in (conjuncts_and_literals, parameter_lists):
        return [found]
    given = _of_new_actions(repairs, found)
    if given == found.edits:
        return [found]
    filled, bare = repairs.candidate(given), _without_stand_ins(repairs, found, given)
    if kind not in (nested_literals, conditions_of_effects, conditions_of_plain_effects):
        return [found, filled] if kind is new_predicates else [found, filled, *bare]
    # a trial is slow: first what was good until now; where that explains everything, what leaves less than
    # half, or else what one edit may explain all of
    if found.unexplained:
        bases = [found, filled, *bare]
    elif any(2 * base.unexplained < filled.unexplained for base in bare):
        bases = [*bare, filled, found]
    else:
        bases = [filled, found, *bare]
    return bases[:1] if kind is conditions_of_plain_effects else bases  # the slowest, and the least likely


def _of_new_actions(repairs: Repairs, found: Candidate) -> frozenset[Edit]:
    """The edits of actions that had no rules: what these lack says nothing against the rest of the model."""
    new = {name for name, own in repairs.model.actions.items() if own.is_empty}
    return frozenset(edit for edit in found.edits if isinstance(edit, EffectEdit) and edit.action in new)


def _without_stand_ins(repairs: Repairs, found: Candidate, given: frozenset[Edit]) -> list[Candidate]:
    """The candidate without what may stand in for a wrong rule, which `given` edits never do.

    Those are edits of initial atoms, and of effects that nested literals read, or on predicates that hold of
    something at first and that the model never changes. None if all edits stay or only `given` do.
    """
    model = repairs.model
    conditions = [
        part
        for action in model.actions.values()
        for part in (*action.fixed, *(effect.condition for effect in action.conditional))
    ]
    read = {literal.predicate for part in conditions for literal in literals_of(part)}
    effects = {edit for edit in found.edits if isinstance(edit, EffectEdit)}
    kept = [
        given | {e for e in effects if e.effect.predicate not in left_out}
        for left_out in (read, model.steady)
    ]
    distinct = [own for own in dict.fromkeys(kept) if own not in (found.edits, given)]
    return [repairs.candidate(own) for own in distinct]


def stand_ins(repairs: Repairs, found: Candidate) -> int:
    """Edits that may stand in for a rule: of initial atoms, and effects on `Model.steady` predicates.

    Those of new actions, which come anyhow, do not count.
    """
    edits = found.edits - _of_new_actions(repairs, found)
    come = (edit.effect for edit in edits if isinstance(edit, EffectEdit) and edit.present)
    return found.starts + sum(effect.predicate in repairs.model.steady for effect in come)


def _equals(best: JudgedVariant, others: Sequence[JudgedVariant]) -> tuple[Variant, ...]:
    """Variants that could stand in the place of the best one."""
    if best.candidate.unexplained:
        return ()
    taken = best.variant
    same = (one.variant for one in others if one.rank == best.rank)
    equal = {one.words: one for one in same if (one.size, one.edits) == (taken.size, taken.edits)}
    return tuple(one for words, one in equal.items() if words != taken.words)


def _stood_in_for(repairs: Repairs, found: Candidate) -> tuple[Proposer, ...]:
    """The costly kinds that a candidate which explains everything may stand in for."""
    asked = {
        parameter_lists: bool(with_fewer_arguments(repairs, found)),
        conjuncts_and_literals: found.starts > 0,
    }
    return tuple(kind for kind, stands_in in asked.items() if stands_in)


def with_fewer_arguments(repairs: Repairs, found: Candidate) -> frozenset[tuple[str, Literal]]:
    """Literals that come and name fewer arguments than all those of their predicates that the model has.

    They stand in for a predicate of fewer parameters: `(on ?x ?x)` for `(holding ?x)`. Each comes with its
    action; literals of new actions do not count, as they come anyhow.
    """
    least: dict[str, int] = {}
    for literal in (p for a in repairs.model.actions.values() for p in (*a.preconditions, *a.effects)):
        named = len(set(literal.terms))
        least[literal.predicate] = min(named, least.get(literal.predicate, named))
    old = {name for name, own in repairs.model.actions.items() if not own.is_empty}
    come = [(name, p) for name in old & found.fits.keys() for p in found.fits[name].added]
    effects = (edit for edit in found.edits if isinstance(edit, EffectEdit) and edit.action in old)
    come += [(edit.action, edit.effect) for edit in effects if edit.present]
    return frozenset(one for one in come if len(set(one[1].terms)) < least.get(one[1].predicate, 0))


def like_another(repairs: Repairs, found: Candidate, stop: Callable[[], bool]) -> JudgedVariant | None:
    """The best variant in which a new action has the rules of another one, if it is better than `found`."""
    variants = (_judged(repairs, variant, like_others) for variant in like_others(repairs, found, stop))
    best = min(variants, key=lambda one: one.rank, default=None)
    return best if best is not None and best.rank < rank_of(found) else None


def _settles_an_action(candidate: Candidate, before: Candidate) -> bool:
    """Whether all of an action is explained that was not before, and no action is explained worse."""
    left = {name: fitted.left for name, fitted in before.fits.items() if fitted.left}
    now = {name: fitted.left for name, fitted in candidate.fits.items() if fitted.left}
    return len(now) < len(left) and all(left.get(name, 0) >= wrong for name, wrong in now.items())


#: What a new predicate costs at the least: it is declared, set and needed.
NEW_PREDICATE = 3
#: The kinds that are asked first, in this order.
QUICK: tuple[Proposer, ...] = (
    superfluous_parameters,
    conditions_of_effects,
    nested_literals,
    quantified_preconditions,
    conditional_effects,
    conditions_of_plain_effects,
)
#: Those that are asked where these say too little.
COSTLY: tuple[Proposer, ...] = (parameter_lists, new_predicates, conjuncts_and_literals)
#: All kinds; of equal variants, those of the first are better.
KINDS: tuple[Proposer, ...] = (*QUICK, *COSTLY, like_others)


@dataclass(frozen=True)
class Structure:
    """The structural edits that were taken."""

    words: tuple[str, ...] = ()
    size: int = 0  #: how many edits they count as

    def and_with(self, variant: Variant) -> Structure:
        """These and one more."""
        return Structure((*self.words, *variant.words.splitlines()), self.size + variant.size)

    def fitted(self, words: tuple[str, ...]) -> Structure:
        """These and what the world asks for anyhow."""
        return Structure((*self.words, *words), self.size)
