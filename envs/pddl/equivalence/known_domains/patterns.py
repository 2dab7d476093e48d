"""Recognising a domain whose reachable states are known, whatever its predicates are called.

A pattern lists the rules of a domain over roles. A domain fits if its fluent predicates can be given the
roles so that its actions are the rules, parameters in any order. What an object has to be is no part of a
rule: types and static predicates of one argument (`(room ?r)`) are collected for each kind of parameter,
and the objects of a kind are those that satisfy all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations, product

from tarski.syntax import top

from envs.pddl.equivalence.goals.goal import fluents_of
from envs.pddl.language.operators import format_operator
from envs.pddl.language.structure import Domain, GroundAtom, Problem
from envs.pddl.language.terms import show
from envs.pddl.simulation.lifted import TRUE, Condition, Literal, Schema, conjuncts, lift

#: A lifted atom: a predicate or role, then parameter numbers.
_Lifted = tuple[str | int, ...]
#: What a parameter's object has to be: its type, and the static predicates that must hold of it.
_Wanted = tuple[str, frozenset[str]]


@dataclass(frozen=True)
class Rule:
    """An action over roles: the kind of each parameter, and atoms such as `("on", 0, 1)`."""

    kinds: tuple[str, ...]
    needs: frozenset[_Lifted]
    adds: frozenset[_Lifted]
    deletes: frozenset[_Lifted]

    @classmethod
    def of(cls, kinds: tuple[str, ...], needs: str, adds: str, deletes: str) -> Rule:
        """A rule from texts such as `on 0 1, clear 0`."""

        def atoms(text: str) -> frozenset[_Lifted]:
            words = (part.split() for part in text.split(","))
            return frozenset((name, *map(int, places)) for name, *places in words)

        return cls(kinds, atoms(needs), atoms(adds), atoms(deletes))


@dataclass(frozen=True)
class Cast:
    """A domain's predicates in the roles of a pattern, and what the objects of each kind have to be."""

    roles: Mapping[str, str]  #: predicate → role
    wanted: Mapping[str, frozenset[_Wanted]]  #: kind → demands; an object of the kind satisfies all
    #: for every rule, the action that it is, and which parameter of the action each of its own is
    actions: tuple[tuple[str, tuple[int, ...]], ...]

    def members(self, problem: Problem, kind: str) -> frozenset[str] | None:
        """The objects of a kind; None if some actions would take other objects than others."""
        found = {_members(problem, wanted) for wanted in self.wanted[kind]}
        return next(iter(found)) if len(found) == 1 else None

    def renamed(self, atoms: frozenset[GroundAtom]) -> frozenset[GroundAtom]:
        """Fluent atoms with roles for predicates; static atoms are left out."""
        return frozenset((self.roles[a[0]], *a[1:]) for a in atoms if a[0] in self.roles)

    def back(self, atoms: frozenset[GroundAtom]) -> frozenset[GroundAtom]:
        """Atoms with predicates for roles."""
        predicates = {role: name for name, role in self.roles.items()}
        return frozenset((predicates[a[0]], *a[1:]) for a in atoms)

    def operator(self, rule: int, *arguments: str) -> str:
        """The operator of a rule, given by its number, with arguments in the rule's order."""
        name, order = self.actions[rule]
        placed = dict(zip(order, arguments, strict=True))
        return format_operator(name, [placed[i] for i in range(len(placed))])


@lru_cache(maxsize=64)
def cast(rules: tuple[Rule, ...], domain: Domain) -> Cast | None:
    """The domain's predicates in the roles that the rules name; None if the domain does not fit."""
    if len(domain.actions) != len(rules):
        return None
    own = [_rule(schema, domain) for schema in _schemas(domain)]
    if not all(own):
        return None
    actions = [rule for rule in own if rule is not None]
    for roles in _castings(rules, domain):
        assigned = _assigned(rules, actions, roles)
        if assigned is not None:
            wanted, named = assigned
            return Cast(roles, wanted, named)
    return None


@dataclass(frozen=True)
class _Action:
    """An action of a domain in the form of a rule; `wanted` for each parameter."""

    name: str
    wanted: tuple[_Wanted, ...]
    needs: frozenset[_Lifted]
    adds: frozenset[_Lifted]
    deletes: frozenset[_Lifted]


def _schemas(domain: Domain) -> Sequence[Schema]:
    return lift(Problem("", domain, domain.constants, frozenset(), top)).schemas


def _rule(schema: Schema, domain: Domain) -> _Action | None:
    """The action as a rule; None if it is none: it has other conditions than atoms, or names a constant."""
    literals = _conjuncts(schema.precondition)
    if literals is None or any(effect.condition != TRUE or effect.variables for effect in schema.effects):
        return None
    terms = [*(p.terms for p in literals), *(e.terms for e in schema.effects)]
    if any(term >= 0 for some in terms for term in some):
        return None
    statics = [p for p in literals if p.predicate not in fluents_of(domain)]
    if any(len(p.terms) != 1 for p in statics):
        return None
    adds = frozenset(_lifted(e.predicate, e.terms) for e in schema.effects if e.adds)
    types = [kind for _, kind in domain.vocabulary.actions[schema.name]]
    return _Action(
        schema.name,
        tuple((t, frozenset(p.predicate for p in statics if p.terms == (~i,))) for i, t in enumerate(types)),
        frozenset(_lifted(p.predicate, p.terms) for p in literals if p not in statics),
        adds,
        frozenset(_lifted(e.predicate, e.terms) for e in schema.effects if not e.adds) - adds,
    )


def _conjuncts(condition: Condition) -> tuple[Literal, ...] | None:
    parts = conjuncts(condition)
    literals = tuple(part for part in parts if isinstance(part, Literal) and part.positive)
    return literals if len(literals) == len(parts) else None


def _lifted(name: str, terms: Sequence[int]) -> _Lifted:
    return (name, *(~t for t in terms))


def _castings(rules: Sequence[Rule], domain: Domain) -> Iterator[dict[str, str]]:
    """Every way to give the fluent predicates the roles, arities kept."""
    atoms = (atom for rule in rules for atom in (*rule.needs, *rule.adds, *rule.deletes))
    arity = {str(atom[0]): len(atom) - 1 for atom in atoms}
    predicates = sorted(fluents_of(domain))
    own = {name: len(domain.vocabulary.predicates[name]) for name in predicates}
    if sorted(arity.values()) != sorted(own.values()):
        return
    sizes = sorted(set(own.values()))
    names = [[p for p in predicates if own[p] == size] for size in sizes]
    ways = [permutations(sorted(r for r in arity if arity[r] == size)) for size in sizes]
    for chosen in product(*ways):
        pairs = (zip(ours, theirs, strict=True) for ours, theirs in zip(names, chosen, strict=True))
        yield dict(pair for some in pairs for pair in some)


def _assigned(
    rules: Sequence[Rule], actions: Sequence[_Action], roles: Mapping[str, str]
) -> tuple[dict[str, frozenset[_Wanted]], tuple[tuple[str, tuple[int, ...]], ...]] | None:
    """What every kind of parameter has to be, and `Cast.actions`, if each action is another of the rules."""
    wanted: dict[str, set[_Wanted]] = {kind: set() for rule in rules for kind in rule.kinds}
    left = list(rules)
    named: dict[Rule, tuple[str, tuple[int, ...]]] = {}
    for action in actions:
        found = next(((r, order) for r in left for order in _orders(r, action, roles)), None)
        if found is None:
            return None
        rule, order = found
        left.remove(rule)
        named[rule] = action.name, order
        for place, kind in enumerate(rule.kinds):
            wanted[kind].add(action.wanted[order[place]])
    return {kind: frozenset(some) for kind, some in wanted.items()}, tuple(named[rule] for rule in rules)


def _orders(rule: Rule, action: _Action, roles: Mapping[str, str]) -> Iterator[tuple[int, ...]]:
    """The orders of the action's parameters in which it is the rule."""
    if len(rule.kinds) != len(action.wanted):
        return
    for order in permutations(range(len(rule.kinds))):
        place = {parameter: i for i, parameter in enumerate(order)}

        def seen(atoms: frozenset[_Lifted], place: Mapping[int, int] = place) -> frozenset[_Lifted]:
            return frozenset((roles[str(a[0])], *(place[int(i)] for i in a[1:])) for a in atoms)

        found = [seen(some) for some in (action.needs, action.adds, action.deletes)]
        if found == [rule.needs, rule.adds, rule.deletes]:
            yield order


def _members(problem: Problem, wanted: _Wanted) -> frozenset[str]:
    kind, statics = wanted
    is_subtype = problem.domain.is_subtype
    return frozenset(
        name
        for name, own in problem.objects.items()
        if is_subtype(own, kind) and all((static, name) in problem.init for static in statics)
    )


#: The objects of each kind.
Members = Mapping[str, frozenset[str]]


class Impossible(ValueError):
    """Atoms that no state satisfies together; its text is their conjunction in PDDL."""


@dataclass(frozen=True)
class Oracle:
    """A domain whose reachable states are known. Atoms bear roles for predicates."""

    rules: tuple[Rule, ...]
    kinds: Mapping[str, tuple[str, ...]]  #: role → the kind of each argument
    #: whether atoms describe one whole state, from which every other can be reached; raises Impossible
    is_whole: Callable[[frozenset[GroundAtom], Members], bool]
    #: the atoms and all others that hold whenever they do; raises Impossible
    implied: Callable[[frozenset[GroundAtom], Members], frozenset[GroundAtom]]


def claim(claims: dict[str, GroundAtom], place: str, atom: GroundAtom) -> None:
    """Let an atom claim a place. Raises Impossible if another one has."""
    earlier = claims.setdefault(place, atom)
    if earlier != atom:
        raise Impossible(together(earlier, atom))


def together(*atoms: GroundAtom) -> str:
    """The conjunction of atoms, each once."""
    return f"(and {' '.join(map(show, dict.fromkeys(atoms)))})"
