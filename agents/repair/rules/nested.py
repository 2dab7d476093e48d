"""Edits below `or`, a quantifier or a `when` (`agents.repair.rules.nested_edits`) as structural edits.

They are tried on the examples: in the preconditions of actions that a candidate leaves something unexplained
of, and in effects on the predicates that this may be due to. Those that get less wrong than the candidate are
proposed, the least wrong first. Of effects that goals alone read, walks show nothing: these are proposed for
the goal (`nested_effects_on_goals`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from math import prod

import numpy as np

from agents.repair.candidate import Candidate
from agents.repair.examples import Mask, Numbers, Tables
from agents.repair.model import Editable, Model
from agents.repair.rules.nested_edits import (
    Edits,
    NestedEdit,
    close_pairs,
    cooccurrences,
    cooccurs,
    doubt_of,
    firing_effects,
    is_nested,
    made,
    nested_edits,
    strays,
)
from agents.repair.rules.variants import Variant, changed_repairs, lacking_for_goals, thinned
from agents.repair.search import Repairs
from envs.pddl.language.terms import (
    DomainTree,
    Part,
    Place,
    Tree,
    piece_at,
    show,
    terms_in,
    tree_of,
    with_part_of,
)
from envs.pddl.language.vocabulary import Vocabulary
from envs.pddl.simulation.lifted import literals_of

#: Edits that are proposed.
MAX_PROPOSED = 6
#: Examples that edits are tried on, and changes that their effects may make, all tries together.
MAX_WORK = 15_000_000
#: As many for others after one edit that explains everything, and after one that puts right half.
MAX_WORK_FOR_EQUALS, MAX_WORK_FOR_BETTER = 500_000, 3_000_000
#: Examples of one action that edits are tried on, of those that are wrong and those that are right before.
MAX_WRONG, MAX_RIGHT = 1_000, 4_000
#: Edits of conditions of effects that are tried when all others are.
MAX_LATE = 200
#: Edits that are made together, and how many of the best with fewer are extended.
MAX_TOGETHER, MAX_EXTENDED = 3, 3
#: Single edits that got most right, of which pairs are tried in the end.
MAX_PAIRED = 8


def nested_literals(repairs: Repairs, found: Candidate, stop: Callable[[], bool]) -> Iterator[Variant]:
    """Variants with one such edit or a few, the least wrong first.

    What is dropped from a precondition may be right where effects are not. So edits of effects are also tried
    with all that stood there, unless it is proved wrong.
    """
    doubted = _with_doubted(found)
    proposed, explain_all = _least_wrong(repairs, found, _suspicious(repairs, found), stop)
    if not explain_all and doubted is not found:
        edits = [edit for edit in _suspicious(repairs, doubted) if edit.place[1] is Part.EFFECT]
        proposed = {**_least_wrong(repairs, doubted, edits, stop)[0], **proposed}
    yield from proposed.values()


@dataclass(frozen=True, eq=False)
class _Tried:
    """Edits that get less wrong than a candidate, together."""

    edits: Edits
    variant: Variant
    explains_all: bool
    gained: int  #: how many examples fewer are wrong
    number: int  #: in the order of trials

    @property
    def rank(self) -> tuple[bool, int, int, int]:
        """Lower is better: what explains everything by fewer edits, then what gains more."""
        size = len(self.edits) if self.explains_all else 0
        return not self.explains_all, size, -self.gained, self.number


def _least_wrong(
    repairs: Repairs, found: Candidate, edits: Sequence[NestedEdit], stop: Callable[[], bool]
) -> tuple[dict[Edits, Variant], bool]:
    """Variants that get less wrong than a candidate, and whether one gets nothing wrong.

    Where one edit gets nothing wrong, some others are tried that may do as well.
    """
    tree, trial = tree_of(repairs.model.domain), _Trial(repairs, found)
    tried: list[_Tried] = []
    explain_all, most = 0, MAX_WORK
    for some, least in _in_turn(tree, edits, tried, trial.wrong):
        if stop() or trial.work > most or explain_all == MAX_PROPOSED:
            break
        variant = _variant(repairs.model, tree, some, found)
        gained = trial.gained(variant)
        if gained > least:
            explains_all = gained == trial.wrong and not _left(repairs, variant)
            tried.append(_Tried(some, variant, explains_all, gained, len(tried)))
            if explains_all and len(some) == 1:
                explain_all += 1
                most = min(most, trial.work + MAX_WORK_FOR_EQUALS)
            elif _gets_most_right(tried[-1:], trial.wrong):
                most = min(most, trial.work + MAX_WORK_FOR_BETTER)
    best = sorted(tried, key=lambda one: one.rank)[:MAX_PROPOSED]
    return {one.edits: one.variant for one in best}, any(one.explains_all for one in best)


def _gets_most_right(tried: Sequence[_Tried], wrong: int) -> bool:
    """Whether an edit alone puts right half of what is wrong."""
    return any(2 * one.gained >= wrong for one in tried if len(one.edits) == 1)


def _in_turn(
    tree: DomainTree, edits: Sequence[NestedEdit], tried: Sequence[_Tried], wrong: int
) -> Iterator[tuple[Edits, int]]:
    """Sets of edits in the order of trials, each with the gain that it has to exceed: that of its subsets.

    First single likely edits, then close pairs, then the best of `tried` extended by one likely edit; but
    where one alone puts right half of what is `wrong`, no pairs, and only that one is extended. Then the
    other single edits, some of those of conditions that are repaired by what is known of their effects
    (`agents.repair.rules.given_conditions`), and pairs of those that got most right. An edit is likely if it
    adds no literal, or one that co-occurs with its neighbours elsewhere (`cooccurs`). `tried` grows with the
    trials: those that got less wrong.
    """
    known, whens = cooccurrences(tree), _repaired_otherwise(tree)
    early: list[NestedEdit] = []
    late: list[NestedEdit] = []
    for edit in edits:
        (late if _is_within(edit, whens) else early).append(edit)
    kept = [edit for edit in early if not edit.adds]
    alike = [edit for edit in early if edit.adds and cooccurs(edit, tree, known)]
    likely, seen = [*kept, *alike], set[frozenset[NestedEdit]]()
    yield from (((edit,), 0) for edit in likely)
    alone = {one.edits[0]: one.gained for one in tried}
    is_clear = _gets_most_right(tried, wrong)
    for one, other in () if is_clear else close_pairs(tree, kept):
        seen.add(frozenset((one, other)))
        yield (one, other), max(alone.get(one, 0), alone.get(other, 0))
    for size in range(1, MAX_TOGETHER):
        if any(own.explains_all for own in tried):
            break  # more edits are no better
        best = sorted((own for own in tried if len(own.edits) == size), key=lambda own: own.rank)
        for fewer in best[: 1 if is_clear else MAX_EXTENDED]:
            for edit in likely:
                more = (*fewer.edits, edit)
                if frozenset(more) not in seen and not any(map(edit.overlaps, fewer.edits)):
                    seen.add(frozenset(more))
                    yield more, fewer.gained
    tested = {*likely}
    others = [edit for edit in early if edit not in tested]
    yield from (((edit,), 0) for edit in (*others, *late[:MAX_LATE]))
    if any(own.explains_all for own in tried):
        return
    alone = {one.edits[0]: one.gained for one in tried if len(one.edits) == 1}
    for one, other in combinations(sorted(alone, key=lambda edit: -alone[edit])[:MAX_PAIRED], 2):
        if frozenset((one, other)) not in seen and not one.overlaps(other):
            yield (one, other), max(alone[one], alone[other])


def _repaired_otherwise(tree: DomainTree) -> list[Place]:
    """The conditions of effects that evidence of one variable says something of."""
    firing = [own for action in tree.actions for own in firing_effects(tree, action) if own.conjuncts]
    some = [own for own in firing if own.is_of_one_variable]
    return [(own.action, Part.EFFECT, (*path, 1)) for own in some for path in own.paths]


def _is_within(edit: NestedEdit, places: Collection[Place]) -> bool:
    action, part, path = edit.place
    return any((action, part, path[: len(own[2])]) == own for own in places)


def _variant(model: Model, tree: DomainTree, some: Edits, found: Candidate) -> Variant:
    """The model with some edits that do not overlap, and the edits of a candidate.

    A quantifier that goes is one edit more, as one that comes is.
    """
    parts: dict[tuple[str, Part], list[NestedEdit]] = {}
    for edit in some:
        parts.setdefault(edit.place[:2], []).append(edit)
    domain, size = model.domain, len(some)
    for (name, part), own in parts.items():
        changed = made(tree, tuple(own))
        domain = with_part_of(domain, name, part, changed)
        size += max(0, _quantifiers(tree.part(name, part)) - _quantifiers(changed))
    problems = tuple(replace(problem, domain=domain) for problem in model.problems)
    actions = tuple(dict.fromkeys(name for name, _ in parts))
    return Variant("\n".join(map(str, some)), problems, size, found.edits, actions)


def _quantifiers(tree: Tree) -> int:
    """How many quantifiers stand in a condition or effect."""
    if isinstance(tree, str) or not tree:
        return 0
    return (tree[0] in ("forall", "exists")) + sum(map(_quantifiers, tree))


def _left(repairs: Repairs, variant: Variant) -> int:
    """What a variant leaves unexplained of all examples, with the preconditions that suit it best."""
    return changed_repairs(repairs, variant).candidate(variant.edits).unexplained


def _with_doubted(found: Candidate) -> Candidate:
    """The candidate with the preconditions that it drops and that are not proved wrong; itself if none is."""
    fits = {
        name: replace(own, dropped=tuple(one for one in own.dropped if (name, one[0]) in found.proved))
        for name, own in found.fits.items()
    }
    return found if fits == found.fits else replace(found, fits=fits)


def nested_effects_on_goals(
    repairs: Repairs, found: Candidate, stop: Callable[[], bool]
) -> Iterator[Variant]:
    """Variants with one such edit of an effect that may bear on a goal, those that add literals last.

    Of these, atoms of more parameters, all different, come first, and equalities and negations later. What a
    goal asks for may also come beside any effect below a quantifier or a `when`: before all else, if nothing
    in the model does it.
    """
    model, tree = repairs.model, tree_of(repairs.model.domain)
    read = _and_read_by_effects(model, {predicate for predicate, _ in model.wanted})
    words = model.domain.vocabulary
    edits = [edit for action in tree.actions for edit in _of_effects(tree, action, read, words)]
    lacking = lacking_for_goals(model, found.edits)
    first = [*_beside_effects(tree, lacking, words)]
    edits += _beside_effects(tree, set(model.wanted) - lacking, words)
    for edit in (*sorted(first, key=doubt_of), *sorted(edits, key=doubt_of)):
        if stop():
            return
        yield _variant(model, tree, (edit,), found)


def _beside_effects(
    tree: DomainTree, wanted: Collection[tuple[str, bool]], words: Vocabulary
) -> Iterator[NestedEdit]:
    """Effects on these predicates beside nested ones, once for those that are made together.

    A predicate comes with whether it is to be true.
    """
    together = set[Place]()
    for term in terms_in(tree):
        whole = tree.part(*term.place[:2])
        if (term.part, term.condition) != (Part.EFFECT, False) or not is_nested(whole, term):
            continue
        joined = piece_at(whole, term.path[:-1])[0] == "and"
        place: Place = (*term.place[:2], term.path[:-1] if joined else term.path)
        there = piece_at(whole, term.path[:-1]) if joined else (term.literal,)
        for atom in () if place in together else words.atoms((*term.scope, *words.constants.items())):
            for literal in (atom, ("not", atom)):
                if (show(atom[0]), literal is atom) in wanted and atom != term.atom and literal not in there:
                    yield NestedEdit(term.place, term.literal, ("and", term.literal, literal))
        together.add(place)


class _Trial:
    """What edits of one part of an action get right of the examples that a candidate gets wrong.

    Of many examples some from all over are looked at.
    """

    def __init__(self, repairs: Repairs, found: Candidate):
        self._repairs, self._found = repairs, found
        self._tables = repairs.tables(found.edits)
        self._examples: dict[str, Numbers] = {}
        self._before: dict[str, int] = {}
        for name, examples in repairs.seen.of.items():
            wrong = self._wrong(repairs, name, self._tables, np.arange(len(examples.nodes)))
            chosen = thinned(np.flatnonzero(wrong), MAX_WRONG), thinned(np.flatnonzero(~wrong), MAX_RIGHT)
            self._examples[name], self._before[name] = np.concatenate(chosen), len(chosen[0])
        self.wrong = sum(self._before.values())
        self._steps = Counter(step.action for step in repairs.seen.walks.steps)
        self.work = 0  #: see `MAX_WORK`

    def gained(self, variant: Variant) -> int:
        """How many examples fewer the variant gets wrong, all edits of the candidate made; 0 for less."""
        changed = changed_repairs(self._repairs, variant)
        tables = changed.tables(self._found.edits)
        altered = {p for p, table in tables.items() if table is not self._tables[p]}
        gained, actions = 0, changed.model.actions.items()
        self.work += self._changes(changed.model, altered)
        names = [n for n, own in actions if n in variant.actions or altered & _predicates(own, self._found)]
        for name in names:
            self.work += len(self._examples[name])
            still = self._wrong(changed, name, tables, self._examples[name][: self._before[name]])
            gained += self._before[name] - int(np.count_nonzero(still))
        for name in names if gained else ():  # most variants put nothing right
            spoiled = self._wrong(changed, name, tables, self._examples[name][self._before[name] :])
            gained -= int(np.count_nonzero(spoiled))
        return max(0, gained)

    def _changes(self, model: Model, altered: Collection[str]) -> int:
        """Changes of these predicates that conditional effects may make at all steps, in the largest task."""
        return sum(
            self._steps[name] * max(prod(len(s.members[v]) for v in effect.variables) for s in own.schemas)
            for name, own in model.actions.items()
            for effect in own.conditional
            if effect.predicate in altered
        )

    def _wrong(self, repairs: Repairs, name: str, tables: Tables, which: Numbers) -> Mask:
        """Which of an action's examples are wrong."""
        action = repairs.model.actions[name]
        executed = np.zeros(len(repairs.seen.of[name].nodes), dtype=np.bool_)
        executed[repairs.seen.of[name].positive] = True
        parts = (*self._found.fit_of(action).preconditions(action), *action.fixed)
        found: Mask = repairs.satisfied(action, parts, tables, which) != executed[which]
        return found


def _predicates(action: Editable, found: Candidate) -> set[str]:
    """What an action's precondition reads, with the edits of a candidate."""
    parts = (*found.fit_of(action).preconditions(action), *action.fixed)
    return {literal.predicate for part in parts for literal in literals_of(part)}


def _suspicious(repairs: Repairs, found: Candidate) -> list[NestedEdit]:
    """The edits that may bear on what a candidate gets wrong, those that add literals last.

    Of these, atoms that name the variables of the literal beside them come first, each term once.
    """
    tree = tree_of(repairs.model.domain)
    left = {name for name, fitted in found.fits.items() if fitted.left}
    words = repairs.model.domain.vocabulary
    read = {p for name in found.fits for p in _predicates(repairs.model.actions[name], found)}
    suspects = repairs.suspects(found, own=True) & _and_read_by_effects(repairs.model, read)
    edits: list[NestedEdit] = []
    for action in tree.actions:
        if action in left:
            edits += nested_edits(tree, action, Part.PRECONDITION, words)
        edits += _of_effects(tree, action, suspects, words)
    edits += _beside_effects(tree, {*product(suspects, (True, False))}, words)
    return sorted(edits, key=lambda edit: (edit.adds, edit.adds and strays(edit, tree), doubt_of(edit)[1]))


def _and_read_by_effects(model: Model, predicates: set[str]) -> set[str]:
    """These predicates, and those that conditions of effects on them read, and so on."""
    effects = [effect for action in model.actions.values() for effect in action.conditional]
    while True:
        bearing = (effect.condition for effect in effects if effect.predicate in predicates)
        wider = predicates.union(literal.predicate for one in bearing for literal in literals_of(one))
        if wider == predicates:
            return predicates
        predicates = wider


def _of_effects(
    tree: DomainTree, action: str, predicates: Collection[str], words: Vocabulary
) -> list[NestedEdit]:
    """The edits of those effects of an action that are on some predicates."""
    changes = {
        (term.path[:1], show(term.atom[0]))
        for term in terms_in(tree)
        if (term.action, term.part, term.condition) == (action, Part.EFFECT, False)
    }
    bearing = {path for path, predicate in changes if predicate in predicates}
    effects = nested_edits(tree, action, Part.EFFECT, words)
    return [edit for edit in effects if edit.place[2][:1] in bearing]
