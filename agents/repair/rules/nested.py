"""Edits of what stands below `or`, a quantifier or a `when`: literals there, and whole such parts.

A literal there may be dropped, turned into its negation, or have an argument replaced or two swapped; another
literal or an equality may be added beside it, by `and` or by `or`, or become the condition of an effect. A
whole part that is no literal may be dropped: a disjunction, a quantified condition, a conditional effect.

Such edits are tried on the examples: in the preconditions of actions that a candidate leaves something
unexplained of, and in effects on the predicates that this may be due to. Those that get less wrong than the
candidate are proposed, the least wrong first. Of effects that goals alone read, walks show nothing: these
are proposed for the goal (`nested_effects_on_goals`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from agents.repair.candidate import Candidate
from agents.repair.examples import Mask, Numbers, Tables
from agents.repair.model import Editable, Model
from agents.repair.rules.variants import Variant, changed_repairs, lacking_for_goals, thinned, with_tree
from agents.repair.search import Repairs
from envs.pddl.language.terms import (
    DomainTree,
    Part,
    Place,
    Term,
    Tree,
    atom_of,
    literal_of,
    piece_at,
    show,
    terms_in,
    tree_of,
)
from envs.pddl.language.vocabulary import OBJECT, Vocabulary
from envs.pddl.mutation.faults import swaps, with_argument
from envs.pddl.simulation.lifted import literals_of

#: Edits that are proposed.
MAX_PROPOSED = 6
#: Examples that edits are tried on, all tries together.
MAX_WORK = 15_000_000
#: Examples that others are tried on after one edit that explains everything.
MAX_WORK_FOR_EQUALS = 500_000
#: Examples of one action that edits are tried on, of those that are wrong and those that are right before.
MAX_WRONG, MAX_RIGHT = 1_000, 4_000


@dataclass(frozen=True)
class NestedEdit:
    """Another piece at one place of a domain; none where it is dropped."""

    place: Place
    before: Tree
    after: Tree | None

    @property
    def adds(self) -> bool:
        """Whether a literal comes beside another, or becomes the condition of an effect."""
        return self.after is not None and self.after[0] in ("and", "or", "when")

    def __str__(self) -> str:
        action, part, _ = self.place
        if self.after is None:
            return f"remove {show(self.before)} from the {part} of {action}"
        return f"write {show(self.after)} for {show(self.before)} in the {part} of {action}"

    def on(self, tree: DomainTree) -> DomainTree:
        """The domain with this edit."""
        return tree.without([self.place]) if self.after is None else tree.with_piece(self.place, self.after)

    def made(self, tree: DomainTree) -> Tree:
        """The whole part with this edit."""
        return self.on(tree).part(*self.place[:2])


def nested_literals(repairs: Repairs, found: Candidate, stop: Callable[[], bool]) -> Iterator[Variant]:
    """Variants with one such edit, the least wrong first.

    What is dropped from a precondition may be right where effects are not. So edits of effects are also tried
    with all that stood there, unless it is proved wrong.
    """
    doubted = _with_doubted(found)
    proposed, explain_all = _least_wrong(repairs, found, _suspicious(repairs, found), stop)
    if not explain_all and doubted is not found:
        edits = [edit for edit in _suspicious(repairs, doubted) if edit.place[1] is Part.EFFECT]
        proposed = {**_least_wrong(repairs, doubted, edits, stop)[0], **proposed}
    yield from proposed.values()


def _least_wrong(
    repairs: Repairs, found: Candidate, edits: Sequence[NestedEdit], stop: Callable[[], bool]
) -> tuple[dict[NestedEdit, Variant], bool]:
    """Variants that get less wrong than a candidate, and whether one gets nothing wrong.

    Where one does, some others are tried that may do as well.
    """
    tree, trial = tree_of(repairs.model.domain), _Trial(repairs, found)
    tried: list[tuple[bool, int, int, NestedEdit, Variant]] = []
    explain_all, most = 0, MAX_WORK
    for edit in edits:
        if stop() or trial.work > most or explain_all == MAX_PROPOSED:
            break
        name, part, _ = edit.place
        problems = with_tree(repairs.model, name, part, edit.made(tree))
        variant = Variant(str(edit), problems, edits=found.edits, actions=(name,))
        gained = trial.gained(variant)
        if gained > 0:
            explains_all = gained == trial.wrong and not _left(repairs, variant)
            tried.append((not explains_all, -gained, len(tried), edit, variant))
            if explains_all:
                explain_all += 1
                most = min(most, trial.work + MAX_WORK_FOR_EQUALS)
    best = sorted(tried, key=lambda one: one[:3])[:MAX_PROPOSED]
    return {edit: variant for *_, edit, variant in best}, explain_all > 0


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
    for edit in (*sorted(first, key=_doubt), *sorted(edits, key=_doubt)):
        if stop():
            return
        name, part, _ = edit.place
        problems = with_tree(model, name, part, edit.made(tree))
        yield Variant(str(edit), problems, edits=found.edits, actions=(name,))


def _beside_effects(
    tree: DomainTree, wanted: Collection[tuple[str, bool]], words: Vocabulary
) -> Iterator[NestedEdit]:
    """Effects on these predicates beside any nested one; a predicate with whether it is to be true."""
    for term in terms_in(tree):
        is_effect = (term.part, term.condition) == (Part.EFFECT, False)
        if is_effect and _is_nested(tree.part(*term.place[:2]), term):
            for atom in words.atoms((*term.scope, *words.constants.items())):
                for literal in (atom, ("not", atom)):
                    if (show(atom[0]), literal is atom) in wanted and atom != term.atom:
                        yield NestedEdit(term.place, term.literal, ("and", term.literal, literal))


def _doubt(edit: NestedEdit) -> tuple[bool, bool, bool, int]:
    """How unlikely an edit is, beside others, where nothing else says so; the lower, the likelier."""
    if not edit.adds:
        return False, False, False, 0
    added = _added(edit)
    names = _arguments(added)
    repeats = atom_of(added)[0] == "=" or len({*names}) < len(names)
    return True, repeats, added[0] == "not", -len(names)


def _added(edit: NestedEdit) -> Tree:
    """The literal that comes beside another."""
    assert edit.after is not None, "an edit that adds a literal drops none"
    return next(one for one in edit.after[1:] if one != edit.before)


def _arguments(literal: Tree) -> Tree:
    return atom_of(literal)[1:]


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
        self.work = 0  #: examples that were looked at

    def gained(self, variant: Variant) -> int:
        """How many examples fewer the variant gets wrong, all edits of the candidate made."""
        changed = changed_repairs(self._repairs, variant)
        tables = changed.tables(self._found.edits)
        altered = {p for p, table in tables.items() if table is not self._tables[p]}
        gained = 0
        for name, action in changed.model.actions.items():
            if name in variant.actions or altered & _predicates(action, self._found):
                which = self._examples[name]
                wrong = self._wrong(changed, name, tables, which)
                gained += self._before[name] - int(np.count_nonzero(wrong))
                self.work += len(which)
        return gained

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
    return sorted(edits, key=lambda edit: (edit.adds, edit.adds and _strays(edit, tree), _doubt(edit)[1]))


def _strays(edit: NestedEdit, tree: DomainTree) -> bool:
    """Whether the literal that comes names none of the quantified variables of the one beside it."""
    own = {name for name, _ in tree.parameters(edit.place[0])}
    variables = {name for name in map(show, _arguments(edit.before)) if name.startswith("?")} - own
    return bool(variables) and variables.isdisjoint(map(show, _arguments(_added(edit))))


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


def nested_edits(tree: DomainTree, action: str, part: Part, words: Vocabulary) -> Iterator[NestedEdit]:
    """All edits below the top of one part of an action, in a fixed order; see the module."""
    whole = tree.part(action, part)
    terms = [t for t in terms_in(tree) if (t.action, t.part) == (action, part) and _is_nested(whole, t)]
    shells = {term.path[:depth] for term in terms for depth in range(len(term.path))}
    for path in sorted(shells):
        piece = piece_at(whole, path)
        if piece[0] in ("or", "forall", "exists", "when", "not") and (
            path == () or piece_at(whole, path[:-1])[0] == "and"
        ):
            yield NestedEdit((action, part, path), piece, None)
    for term in terms:
        yield from _of_literal(term, words)
    for term in terms:
        yield from _beside(whole, term, words)


def _is_nested(whole: Tree, term: Term) -> bool:
    return len(term.path) > 1 or (len(term.path) == 1 and whole[0] != "and")


def _of_literal(term: Term, words: Vocabulary) -> Iterator[NestedEdit]:
    """The literal dropped, negated, with another argument, or with two swapped."""
    literal, atom = term.literal, term.atom
    yield NestedEdit(term.place, literal, None)
    yield NestedEdit(term.place, literal, atom if literal[0] == "not" else ("not", literal))
    kinds = {**words.constants, **dict(term.scope)}
    names, equates = [show(name) for name in atom[1:]], atom[0] == "="
    fits: Callable[[str, str], bool] = words.types.overlap if equates else words.types.is_subtype
    if equates:
        wanted = [kinds.get(other, OBJECT) for other in reversed(names)]
    else:
        wanted = [kind for _, kind in words.predicates[show(atom[0])]]
    for place, kind in enumerate(wanted, 1):
        own = names if equates else [names[place - 1]]
        for name in kinds:
            if name not in own and fits(kinds[name], kind):
                yield NestedEdit(term.place, literal, with_argument(literal, place, name))
    yield from (NestedEdit(term.place, literal, literal_of(text)) for text in swaps(term, words))


def _beside(whole: Tree, term: Term, words: Vocabulary) -> Iterator[NestedEdit]:
    """The literal with another one beside it, once for all literals of one conjunction or disjunction.

    It becomes the condition of an effect that has none.
    """
    above = piece_at(whole, term.path[:-1])[0]
    scope = (*term.scope, *words.constants.items())
    atoms: list[Tree] = [*words.atoms(scope)]
    pairs = combinations(scope, 2)
    atoms += [("=", one, other) for (one, kind), (other, its) in pairs if words.types.overlap(kind, its)]
    literals = [literal for atom in atoms if atom != term.atom for literal in (atom, ("not", atom))]
    if not term.condition:
        has_one = any(piece_at(whole, term.path[:depth])[0] == "when" for depth in range(len(term.path)))
        for literal in () if has_one else literals:
            yield NestedEdit(term.place, term.literal, ("when", literal, term.literal))
        return
    for joined in ("and", "or"):
        if above != joined or term.path[-1] == 1:
            for literal in literals:
                yield NestedEdit(term.place, term.literal, (joined, term.literal, literal))
