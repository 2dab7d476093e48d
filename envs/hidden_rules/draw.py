"""Rules drawn from a domain's own vocabulary; nothing here knows any world.

Each kind has a form of its own. Its actions, types, predicates, arguments and signs are drawn; atoms are
well-typed and name no argument twice. A quantified variable stands in every literal below it, with one that
can change among them. A conditional effect changes what some action tests, as walks show nothing else. What
an action already says is not drawn again; but a literal may be the domain's own, so that a model lacks it.
Whether a rule is any good is left to `envs.hidden_rules.checks`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations, permutations

import numpy as np

from envs.hidden_rules.rules import Addition, HiddenPredicate, HiddenRule, RuleKind
from envs.pddl.language.domain import Domain
from envs.pddl.language.terms import Part, Tree, atom_of, conjuncts_of, literal_of, show, terms_in, tree_of
from envs.pddl.language.vocabulary import OBJECT, Parameters
from envs.tasks import pick, sample, subset

_OWN = 0.5  # chance that a hidden literal is one of the domain's own
_EQUALITY = 0.25  # chance that a literal compares two parameters, where it can
_NEGATIVE = 0.4
_SECOND = 0.5  # chance of a second literal
_EXISTS = 0.5  # of `(not (exists …))`; else `(forall …)`
_UNIVERSAL = 0.5  # of an effect below a `forall`
_MOST_ARGUMENTS = 2  # of a new predicate
_FIT_AT_FIRST = 0.6  # chance that a new predicate allows the action at first
_AMONG_STATIC = 0.4  # chance that it holds where a static predicate does, if there is such a one
_FOR_GOOD = 0.5  # chance that nothing takes away what was missing at first

_CONNECTIVES = ("and", "or", "forall", "exists")

#: A ground or lifted atom as words.
_Atom = tuple[str, ...]


class RuleDrawing:
    """Draws rules for one domain."""

    def __init__(self, domain: Domain, rng: np.random.Generator):
        self._tree, self._words, self._rng = tree_of(domain), domain.vocabulary, rng
        own = terms_in(self._tree)
        self._changing = frozenset(show(term.atom[0]) for term in own if not term.condition)
        self._tested = frozenset(show(term.atom[0]) for term in own if term.condition)
        self._said = frozenset((term.action, term.part, term.atom) for term in own)
        kinds = [kind for name in self._tree.actions for _, kind in self._tree.parameters(name)]
        self._types = tuple(dict.fromkeys(kinds)) or (OBJECT,)

    def draw(self, kind: RuleKind) -> HiddenRule:
        """A rule of that kind. Raises LookupError if what was drawn for it has nothing to be said of it."""
        kinds: Mapping[RuleKind, Callable[[], HiddenRule]] = {
            RuleKind.LITERAL: self._literal,
            RuleKind.QUANTIFIED: self._quantified,
            RuleKind.CONDITIONAL: self._conditional,
            RuleKind.NEW_PREDICATE: self._new_predicate,
        }
        return kinds[kind]()

    def literals_for(self, action: str, part: Part) -> list[_Atom]:
        """The atoms, and equalities of parameters, that a part of an action may have besides what it says.

        An effect has no equality, nor a predicate that no action changes.
        """
        scope = self._tree.parameters(action)
        atoms = self._new(action, part, self._atoms(scope))
        if part is Part.EFFECT:
            return [atom for atom in atoms if atom[0] in self._changing]
        equal = [("=", a, b) for (a, s), (b, t) in combinations(scope, 2) if self._may_be_same(s, t)]
        return [*equal, *atoms]

    def _literal(self) -> HiddenRule:
        action = pick(self._rng, self._tree.actions)
        if self._chance(_OWN):
            own = conjuncts_of(self._tree.part(action, Part.PRECONDITION))
            plain = [text for text in own if atom_of(literal_of(text))[0] not in _CONNECTIVES]
            addition = Addition(action, Part.PRECONDITION, pick(self._rng, plain))
            return HiddenRule(RuleKind.LITERAL, (addition,), own=True)
        atoms = self.literals_for(action, Part.PRECONDITION)
        equal = [atom for atom in atoms if atom[0] == "="]
        if equal and self._chance(_EQUALITY):
            atom = pick(self._rng, equal)
        else:
            atom = pick(self._rng, [atom for atom in atoms if atom[0] != "="])
        return self._rule(RuleKind.LITERAL, action, Part.PRECONDITION, self._signed(atom))

    def _quantified(self) -> HiddenRule:
        action = pick(self._rng, self._tree.actions)
        other, kind = self._other(action)
        exists = self._chance(_EXISTS)
        literals = self._about(action, other, kind, two=not exists or self._chance(_SECOND))
        bound: Tree = (other, "-", kind)
        if exists:
            body = ("and", *literals) if len(literals) > 1 else literals[0]
            text: Tree = ("not", ("exists", bound, body))
        else:
            text = ("forall", bound, ("imply", *literals))
        return self._rule(RuleKind.QUANTIFIED, action, Part.PRECONDITION, text)

    def _conditional(self) -> HiddenRule:
        action = pick(self._rng, self._tree.actions)
        scope = self._tree.parameters(action)
        two, universal = self._chance(_SECOND), self._chance(_UNIVERSAL)
        if universal:
            other, kind = self._other(action)
            literals = self._about(action, other, kind, two)
            changed = [atom for atom in self._atoms((*scope, (other, kind))) if other in atom]
        else:
            changed = self._atoms(scope)
            new = self._new(action, Part.PRECONDITION, changed)
            literals = [self._signed(atom) for atom in sample(self._rng, new, min(1 + two, len(new)))]
        changed = [atom for atom in changed if atom[0] in self._changing & self._tested]
        effect = self._signed(pick(self._rng, self._new(action, Part.EFFECT, changed)))
        text: Tree = ("when", ("and", *literals) if len(literals) > 1 else pick(self._rng, literals), effect)
        if universal:
            text = ("forall", (other, "-", kind), text)
        return self._rule(RuleKind.CONDITIONAL, action, Part.EFFECT, text)

    def _new_predicate(self) -> HiddenRule:
        """A predicate that one action requires, or its absence, and that others bring about and end."""
        user = pick(self._rng, self._tree.actions)
        scope = self._tree.parameters(user)
        arguments = subset(self._rng, scope, int(self._rng.random() * (min(len(scope), _MOST_ARGUMENTS) + 1)))
        name, types = self._fresh("hidden"), tuple(kind for _, kind in arguments)
        needed, fit = self._chance(0.5), self._chance(_FIT_AT_FIRST)
        uses = self._uses(name, types)
        spoiling = [] if not fit and self._chance(_FOR_GOOD) else [pick(self._rng, uses)]
        others = [use for use in uses if use[0] not in (user, *(a for a, _ in spoiling))]
        restoring = [pick(self._rng, others)]
        required = (name, *(variable for variable, _ in arguments))
        additions = [
            _addition(user, Part.PRECONDITION, _signed(required, needed)),
            *(_addition(a, Part.EFFECT, _signed(atom, not needed)) for a, atom in spoiling),
            *(_addition(a, Part.EFFECT, _signed(atom, needed)) for a, atom in restoring),
        ]
        initially = needed == fit
        among = self._static(types) if initially and self._chance(_AMONG_STATIC) else ""
        predicate = HiddenPredicate(name, types, initially, among)
        return HiddenRule(RuleKind.NEW_PREDICATE, tuple(additions), predicate)

    def _about(self, action: str, other: str, kind: str, two: bool) -> list[Tree]:
        """One or two literals about a bound variable; something changes the first one's predicate, or both.

        The first of two may come second.
        """
        scope = self._tree.parameters(action)
        atoms = [atom for atom in self._atoms((*scope, (other, kind))) if other in atom]
        first = pick(self._rng, [atom for atom in atoms if atom[0] in self._changing])
        if not two:
            return [self._signed(first)]
        atoms += [("=", other, name) for name, own in scope if self._may_be_same(own, kind)]
        second = pick(self._rng, [atom for atom in atoms if atom != first])
        both = [self._signed(first), self._signed(second)]
        return both[::-1] if self._chance(0.5) else both

    def _uses(self, name: str, types: tuple[str, ...]) -> list[tuple[str, _Atom]]:
        """Every action with every atom of a new predicate over its parameters."""
        scopes = {action: self._tree.parameters(action) for action in self._tree.actions}
        return [
            (action, (name, *(variable for variable, _ in chosen)))
            for action, scope in scopes.items()
            for chosen in permutations(scope, len(types))
            if all(map(self._words.types.is_subtype, (kind for _, kind in chosen), types))
        ]

    def _static(self, types: tuple[str, ...]) -> str:
        """A static predicate over these types; empty if there is none."""
        is_subtype = self._words.types.is_subtype
        fitting = [
            name
            for name, parameters in self._words.predicates.items()
            if types and name not in self._changing and len(parameters) == len(types)
            if all(is_subtype(own, kind) for own, (_, kind) in zip(types, parameters, strict=True))
        ]
        return pick(self._rng, fitting) if fitting else ""

    def _atoms(self, scope: Parameters) -> list[_Atom]:
        """The well-typed atoms over variables and constants that name none of them twice."""
        atoms = self._words.atoms((*scope, *self._words.constants.items()))
        return [atom for atom in atoms if len(set(atom[1:])) == len(atom) - 1]

    def _new(self, action: str, part: Part, atoms: list[_Atom]) -> list[_Atom]:
        return [atom for atom in atoms if (action, part, atom) not in self._said]

    def _other(self, action: str) -> tuple[str, str]:
        """A variable that the action does not have, and its type."""
        taken = {name for name, _ in self._tree.parameters(action)}
        name = "?x" if "?x" not in taken else next(n for n in map("?x{}".format, range(99)) if n not in taken)
        return name, pick(self._rng, self._types)

    def _fresh(self, name: str) -> str:
        return name if name not in self._words.predicates else self._fresh(f"{name}-1")

    def _may_be_same(self, one: str, other: str) -> bool:
        is_subtype = self._words.types.is_subtype
        return is_subtype(one, other) or is_subtype(other, one)

    def _signed(self, atom: _Atom) -> Tree:
        return _signed(atom, not self._chance(_NEGATIVE))

    def _chance(self, share: float) -> bool:
        return bool(self._rng.random() < share)

    def _rule(self, kind: RuleKind, action: str, part: Part, tree: Tree) -> HiddenRule:
        return HiddenRule(kind, (_addition(action, part, tree),))


def _addition(action: str, part: Part, tree: Tree) -> Addition:
    return Addition(action, part, show(tree))


def _signed(atom: _Atom, holds: bool) -> Tree:
    return atom if holds else ("not", atom)
