"""The terms of a domain: every literal of a precondition or an effect, and domains without some of them.

A term is one occurrence of a literal, `(at ?b ?r)` or `(not (at ?b ?r))`, at any depth: also below `or`, a
quantifier or a `when`. A cost is no term. Texts are edited as trees, nested tuples of words, made from the
canonical text of a domain, so equal domains have equal terms in equal order.

Removing a term leaves no empty shell behind: an `or` or a quantifier without a body goes with it, and so does
a `when` without an effect. A `when` without a condition always happens.

Two domains say the same if their trees do, the order aside (`same_rules`): parts of a conjunction or a
disjunction have no order and count once, and a conjunction in a conjunction is one conjunction. Nothing else
is seen through: two ways of saying the same in logic are two.

An action can also be edited in its domain's own formulas, where no text is read (`edited_action`): one
literal at the top of a part, which is a conjunction. The action is the one that is read from the text with
that edit. `with_part_of` changes a whole part likewise.

Source: the removal of terms is Mahdavi et al. 2024, section 4.2.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from typing import Any, TypeAlias

from tarski import syntax as fol
from tarski.fstrips import AddEffect, DelEffect

from envs.pddl.language.formulas import FormulaBuilder, conjuncts, junction
from envs.pddl.language.render import render_domain, render_effect, render_formula
from envs.pddl.language.sexpr import Group, Node, Source, Word, read_sexprs
from envs.pddl.language.structure import Action, Domain
from envs.pddl.language.vocabulary import Parameters, read_typed, show_declaration, show_typed

#: A piece of PDDL text: a word, or pieces in parentheses.
Tree: TypeAlias = "str | tuple[Tree, ...]"
#: What each variable in reach is declared as.
Scope: TypeAlias = Parameters

#: Place, literal, variables in reach, and whether it is tested.
_Found: TypeAlias = tuple[tuple[int, ...], Tree, Scope, bool]
_TRUE: Tree = ("and",)
_QUANTIFIERS = ("forall", "exists")


class Part(StrEnum):
    """Which half of an action a term stands in."""

    PRECONDITION = "precondition"
    EFFECT = "effect"


#: Where a term stands: its action, the part, and positions from the part's own tree down to the literal.
Place: TypeAlias = tuple[str, Part, tuple[int, ...]]


@dataclass(frozen=True, order=True)
class Term:
    """One literal at one place of a domain. Ordered by action, part and place."""

    action: str
    part: Part
    path: tuple[int, ...]  #: positions from the part's own tree down to the literal
    literal: Tree
    scope: Scope  #: the variables that may stand here, with their types
    condition: bool = True  #: whether it is tested; else it is an effect

    @property
    def text(self) -> str:
        """The literal as PDDL."""
        return show(self.literal)

    @property
    def atom(self) -> Tree:
        """The literal without its sign."""
        return atom_of(self.literal)

    @property
    def place(self) -> Place:
        """Where it stands."""
        return self.action, self.part, self.path


@dataclass(frozen=True)
class DomainTree:
    """A domain as a tree of words, and where its actions are in it. Made by `tree_of`."""

    sections: tuple[Tree, ...]
    actions: tuple[str, ...]

    def part(self, action: str, part: Part) -> Tree:
        """The precondition or the effect of an action. Raises KeyError if there is no such action."""
        return self._field(action, part)

    def parameters(self, action: str) -> Scope:
        """The action's variables with their types. Raises KeyError if there is no such action."""
        return typed(self._field(action, "parameters"))

    def replaced(self, action: str, part: Part, tree: Tree) -> DomainTree:
        """The same domain with another precondition or effect. Raises KeyError if there is no such action."""
        return self.with_piece((action, part, ()), tree)

    def with_piece(self, place: Place, piece: Tree) -> DomainTree:
        """The same domain with another piece at one place. Raises KeyError if there is no such action."""
        return self._with_field(*place, piece)

    def with_literal(self, action: str, part: Part, literal: Tree) -> DomainTree:
        """The same domain with one conjunct more. Raises KeyError if there is no such action."""
        return self.replaced(action, part, with_part(self.part(action, part), literal))

    def without(self, places: Collection[Place]) -> DomainTree:
        """The same domain without the terms at these places."""
        tree = self
        for action, part in dict.fromkeys(place[:2] for place in places):
            paths = frozenset(place[2] for place in places if place[:2] == (action, part))
            left = _without(tree.part(action, part), (), paths)
            tree = tree.replaced(action, part, _TRUE if left is None else left)
        return tree

    def with_parameters(self, action: str, parameters: Parameters) -> DomainTree:
        """The same domain with other parameters of an action. Raises KeyError if there is no such action."""
        return self._with_field(action, "parameters", (), parsed(f"({show_typed(parameters)})"))

    def without_action(self, action: str) -> DomainTree:
        """The same domain without an action. Raises KeyError if there is no such action."""
        place = self._place(action)
        kept = (*self.sections[:place], *self.sections[place + 1 :])
        return DomainTree(kept, tuple(name for name in self.actions if name != action))

    def declaring(self, predicate: str, parameters: Parameters | None) -> DomainTree:
        """The same domain with other parameters in a predicate's declaration; with None, without it."""
        changed = () if parameters is None else (parsed(show_declaration(predicate, parameters)),)
        sections = (
            tuple(new for one in section for new in (changed if one[0] == predicate else (one,)))
            if section[0] == ":predicates"
            else section
            for section in self.sections
        )
        return replace(self, sections=tuple(sections))

    def render(self) -> str:
        """The domain as PDDL text, one section a line."""
        return show_sections(self.sections)

    def _with_field(self, action: str, name: str, path: tuple[int, ...], piece: Tree) -> DomainTree:
        number = self._place(action)
        at = self.sections[number].index(f":{name}") + 1
        sections = replace_at(self.sections, (number, at, *path), piece)
        assert not isinstance(sections, str), "sections are in parentheses"
        return replace(self, sections=sections)

    def _field(self, action: str, name: str) -> Tree:
        form = self.sections[self._place(action)]
        return form[form.index(f":{name}") + 1]

    def _place(self, action: str) -> int:
        for place, section in enumerate(self.sections):
            if isinstance(section, tuple) and section[:2] == (":action", action):
                return place
        raise KeyError(f"the domain has no action {action!r}; it has {', '.join(self.actions)}")


def tree_of(domain: Domain) -> DomainTree:
    """The canonical text of a domain as a tree."""
    sections = parsed(render_domain(domain))
    assert isinstance(sections, tuple), "a rendered domain is one form"
    return DomainTree(sections, tuple(domain.actions))


@lru_cache(maxsize=16)  # the same few domains are taken apart again and again
def parsed(text: str) -> Tree:
    """The tree of a canonical text that is one form."""
    (form,) = read_sexprs(Source(text, "text"))
    return _tree(form)


def terms(domain: Domain) -> tuple[Term, ...]:
    """Every term of a domain: actions in the order of the text, preconditions before effects."""
    return terms_in(tree_of(domain))


def terms_in(tree: DomainTree) -> tuple[Term, ...]:
    """Every term of a domain's tree, in the order of `terms`."""
    return tuple(
        Term(action, part, path, literal, scope, tested)
        for action in tree.actions
        for part in Part
        for path, literal, scope, tested in _literals(
            tree.part(action, part), (), tree.parameters(action), part is Part.PRECONDITION
        )
    )


def without_terms(domain: Domain, removed: Collection[Term]) -> str:
    """The text of the domain without some of its terms.

    Raises ValueError if one of them is not a term of this domain.
    """
    tree = tree_of(domain)
    own = set(terms_in(tree))
    strangers = [term for term in removed if term not in own]
    if strangers:
        raise ValueError(f"not a term of domain {domain.name!r}: {strangers[0]}")
    return tree.without([term.place for term in removed]).render()


def forgetting(tree: Tree, predicate: str) -> Tree:
    """A condition or effect without the literals of a predicate; `(and)` if nothing is left."""
    found = frozenset(path for path, one, *_ in _literals(tree, (), (), True) if atom_of(one)[0] == predicate)
    left = _without(tree, (), found)
    return _TRUE if left is None else left


def show(tree: Tree) -> str:
    """A tree as text in one line."""
    return tree if isinstance(tree, str) else f"({' '.join(map(show, tree))})"


def show_sections(sections: Sequence[Tree]) -> str:
    """The text of a form whose first line is its first section, and each of the others a line."""
    return "\n".join(["(" + show(sections[0]), *map(show, sections[1:])]) + ")\n"


def conjuncts_of(whole: Tree) -> tuple[str, ...]:
    """The texts of the parts of a condition or effect."""
    return tuple(map(show, conjunct_trees(whole)))


def conjunct_trees(whole: Tree) -> tuple[Tree, ...]:
    """The parts of a condition or effect; the whole itself if it is no conjunction."""
    assert not isinstance(whole, str), "a condition or effect is in parentheses"
    return whole[1:] if whole[:1] == ("and",) else (whole,)


def literal_of(text: str) -> Tree:
    """The tree of a literal's text, `(p a b)` or `(not (p a b))`."""
    if text.startswith("(not "):
        return ("not", literal_of(text[5:-1]))
    return tuple(text[1:-1].split())


def atom_of(literal: Tree) -> Tree:
    """A literal without its sign."""
    return literal[1] if literal[0] == "not" else literal


def with_part(whole: Tree, part: Tree) -> Tree:
    """A conjunction with one part more; what is none becomes one."""
    return (*whole, part) if whole[0] == "and" else ("and", whole, part)


def replace_at(tree: Tree, path: tuple[int, ...], piece: Tree) -> Tree:
    """The tree with another piece at one place."""
    if not path:
        return piece
    assert not isinstance(tree, str), "a path leads through pieces in parentheses"
    at = path[0]
    return (*tree[:at], replace_at(tree[at], path[1:], piece), *tree[at + 1 :])


def piece_at(tree: Tree, path: tuple[int, ...]) -> Tree:
    """What stands at one place of a tree."""
    for at in path:
        tree = tree[at]
    return tree


def typed(listed: Tree) -> Scope:
    """The entries of a typed list, each with its type expression."""
    return read_typed(map(show, listed))


def _tree(node: Node) -> Tree:
    return tuple(_tree(item) for item in node.items) if isinstance(node, Group) else node.text


def _literals(tree: Tree, path: tuple[int, ...], scope: Scope, tested: bool) -> Iterator[_Found]:
    """The literals below, in the order of the text."""
    assert not isinstance(tree, str), "a condition or effect is in parentheses"
    head, *rest = tree
    if head in ("and", "or"):
        for at, part in enumerate(rest, 1):
            yield from _literals(part, (*path, at), scope, tested)
    elif head in _QUANTIFIERS:
        yield from _literals(rest[1], (*path, 2), (*scope, *typed(rest[0])), tested)
    elif head == "when":
        yield from _literals(rest[0], (*path, 1), scope, True)
        yield from _literals(rest[1], (*path, 2), scope, tested)
    elif head == "not" and rest[0][0] in ("and", "or", *_QUANTIFIERS):
        yield from _literals(rest[0], (*path, 1), scope, tested)
    elif head != "increase":
        yield path, tree, scope, tested


def _without(tree: Tree, path: tuple[int, ...], removed: frozenset[tuple[int, ...]]) -> Tree | None:
    """The tree without the literals at the removed places; None if nothing is left of it."""
    if path in removed:
        return None
    assert not isinstance(tree, str), "a condition or effect is in parentheses"
    head, *rest = tree
    if head in ("and", "or"):
        kept = [_without(part, (*path, at), removed) for at, part in enumerate(rest, 1)]
        parts = tuple(part for part in kept if part is not None)
        return (head, *parts) if parts else None
    if head in _QUANTIFIERS:
        body = _without(rest[1], (*path, 2), removed)
        return None if body is None else (head, rest[0], body)
    if head == "when":
        condition, effect = (_without(part, (*path, at), removed) for at, part in enumerate(rest, 1))
        return None if effect is None else effect if condition is None else (head, condition, effect)
    if head == "not":
        inner = _without(rest[0], (*path, 1), removed)
        return None if inner is None else (head, inner)
    return tree


def same_rules(one: Domain, other: Domain) -> bool:
    """Whether both have the same predicates, and the same actions with the same parameters and literals.

    Names of the predicates' own variables do not count, those of the actions' do.
    """
    return differing_actions(one, other) == []


def differing_actions(one: Domain, other: Domain) -> list[str] | None:
    """The actions whose rules differ, sorted; None if predicates or names of actions do. See `same_rules`."""
    ours, theirs = _rules(one), _rules(other)
    if one.actions.keys() != other.actions.keys() or _declared(one) != _declared(other):
        return None
    return sorted(name for name, own in ours.items() if own != theirs[name])


def canonical(tree: Tree) -> Tree:
    """The same condition or effect with the parts of every `and` and `or` sorted, each once."""
    if isinstance(tree, str):
        return tree
    parts = tuple(canonical(part) for part in tree)
    if not parts or parts[0] not in ("and", "or"):
        return parts
    flat = (inner for part in parts[1:] for inner in (part[1:] if part[:1] == parts[:1] else (part,)))
    kept = tuple(sorted(dict.fromkeys(flat), key=show))
    return kept[0] if len(kept) == 1 else (parts[0], *kept)


def _rules(domain: Domain) -> dict[str, object]:
    tree = tree_of(domain)
    return {a: (tree.parameters(a), *(canonical(tree.part(a, p)) for p in Part)) for a in tree.actions}


def _declared(domain: Domain) -> dict[str, list[str]]:
    declared = domain.vocabulary.predicates.items()
    return {name: [kind for _, kind in parameters] for name, parameters in declared}


def edited_action(domain: Domain, action: Action, part: Part, literal: str, added: bool) -> Action:
    """The action with a literal behind all else in that part, or without it.

    `literal` is PDDL over the action's parameters and the domain's constants. Raises KeyError for another
    name, and ValueError if a literal to be removed is not at the top of that part.
    """
    parts: Sequence[Any] = conjuncts(action.precondition) if part is Part.PRECONDITION else action.effects
    if added:
        builder = FormulaBuilder(domain.language, domain.constants)
        formula = builder.condition(_node(literal_of(literal)), action.parameters)
        if part is Part.EFFECT:
            is_atom = isinstance(formula, fol.Atom)
            formula = AddEffect(formula) if is_atom else DelEffect(formula.subformulas[0])
        kept = [*parts, formula]
    else:
        shown = render_formula if part is Part.PRECONDITION else render_effect
        kept = [one for one in parts if shown(one) != literal]
        if len(kept) == len(parts):
            raise ValueError(f"{literal} does not stand at the top of the {part} of {action.name}")
    if part is Part.PRECONDITION:
        return replace(action, precondition=junction(fol.Connective.And, kept))
    return replace(action, effects=tuple(kept))


def with_part_of(domain: Domain, name: str, part: Part, tree: Tree) -> Domain:
    """The domain with another precondition or effect of one action, read in the domain's own language.

    `tree` says what a text without an error could say. Raises KeyError if there is no such action.
    """
    action, builder = domain.actions[name], FormulaBuilder(domain.language, domain.constants)
    if part is Part.PRECONDITION:
        changed = replace(action, precondition=builder.condition(_node(tree), action.parameters))
    else:
        changed = replace(action, effects=builder.effects(_node(tree), action.parameters))
    return replace(domain, actions={**domain.actions, name: changed})


def _node(tree: Tree) -> Node:
    return Word(tree, 0) if isinstance(tree, str) else Group([_node(part) for part in tree], 0)
