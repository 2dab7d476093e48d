"""Names, typed lists and the arguments of atoms, wherever they stand in a domain or problem.

A `Scope` says what a term may name at some place. An argument's type must lie within the declared type;
a type that is itself not declared has been reported at its place and is not held against any argument.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice

from envs.pddl.diagnosis.findings import Findings, did_you_mean, listed, shorten
from envs.pddl.language.issues import Code
from envs.pddl.language.sexpr import Group, Node, Source, Word
from envs.pddl.language.vocabulary import (
    OBJECT,
    RESERVED,
    Parameters,
    Vocabulary,
    is_name,
    show_declaration,
    union_of,
)

_NOT_IN_NAMES = re.compile(r"[^a-z0-9_.+-]")
_VARIABLE = re.compile(r"\?[a-z0-9_]([a-z0-9_.+-]*[a-z0-9_.+])?")
_NAMES_ONLY = "use letters, digits, - and _ only"
_NO_OBJECT = "an action cannot name a problem's objects: use a parameter, or add it to (:constants ...)"


@dataclass(frozen=True)
class Typed:
    """One entry of a typed list: the node that names it, and its type expression."""

    node: Word
    type: str
    type_node: Node | None  #: None if the list gives no type, which means `object`

    @property
    def name(self) -> str:
        """The entry's name, lower case."""
        return self.node.text


@dataclass(frozen=True)
class Scope:
    """What a term may name: variables and objects, each with its type expression."""

    variables: Mapping[str, str]
    objects: Mapping[str, str]
    place: str = ""  #: the action's name; an unbound variable is one fault in each action

    def within(self, parameters: Parameters) -> Scope:
        """This scope with more variables, which hide outer ones of the same name."""
        return replace(self, variables={**self.variables, **dict(parameters)})

    def type_of(self, term: str) -> str | None:
        """The type expression of a variable or object; None if it is not known here."""
        return (self.variables if term[0] == "?" else self.objects).get(term)


class TermChecker(Findings):
    """Checks names, typed lists, atoms and their arguments against a vocabulary."""

    def __init__(self, source: Source, vocabulary: Vocabulary):
        super().__init__(source)
        self.vocabulary = vocabulary

    def name(self, node: Node | None, parent: Node, what: str) -> str | None:
        """The name that `node` holds, or None and an error at it (at `parent` if there is no node)."""
        if not isinstance(node, Word) or (node.text.startswith(":") and node is not parent):
            before = " before it" if isinstance(node, Word) else ""
            self.error(node or parent, f"{what} needs a name here", f"write the name of the {what}{before}")
        elif node.text in RESERVED:
            message = f"`{node}` is a word of PDDL and cannot name a {what}"
            self.error(node, message, "choose another name")
        elif not is_name(node.text):
            self.error(node, f"`{shorten(node)}` is not a name for a {what}", _NAMES_ONLY)
        else:
            return node.text
        return None

    def only_name(self, group: Group, what: str, fixed: str = "") -> str | None:
        """The one name after a form's head, as in `(domain d)`; None and an error if it holds none or more.

        `fixed` is the name that it should be, if that is known.
        """
        if len(group.items) <= 2:
            return self.name(group.items[1] if len(group.items) == 2 else None, group, what)
        message = f"{shorten(group)} has {len(group.items) - 1} words, but names one {what}"
        self.error(group, message, f"write ({group.head} {fixed or shorten(group.items[1])})")
        return None

    def typed_list(self, nodes: Sequence[Node], what: str) -> list[Typed]:
        """The entries of `a b - t c - (either t u) d`; faults are recorded and left out of the answer."""
        entries: list[Typed] = []
        pending: list[Word] = []
        position = 0
        while position < len(nodes):
            node = nodes[position]
            position += 1
            if _is_dangling(node, nodes, position):
                fix = "remove this `-`, or write one type after it, such as `- object`"
                self.error(node, "no type follows this `-`", fix)
            elif isinstance(node, Word) and node.text.startswith("-"):
                type_node, position = self._type_after(node, nodes, position)
                expression = self._type_expression(type_node, node)
                if not pending:
                    message = f"`- {shorten(type_node)}` has no {what} before it"
                    self.error(node, message, f"name a {what} before the `-`, or remove the type")
                entries.extend(Typed(word, expression, type_node) for word in pending)
                pending = []
            elif isinstance(node, Group):
                message = f"{shorten(node)} stands where a {what} is expected"
                self.error(node, message, "write names only, as in `a b - type`")
            elif self._is_variable(node) if what == "variable" else self.name(node, node, what):
                pending.append(node)
        return entries + [Typed(word, OBJECT, None) for word in pending]

    def _type_after(self, dash: Word, nodes: Sequence[Node], position: int) -> tuple[Node, int]:
        """The type that a dash announces, and the position after it. `-type` is an error, but read."""
        if dash.text == "-":
            return nodes[position], position + 1
        kind = shorten(dash.text[1:])
        self.error(dash, f"`-{kind}` lacks a blank", f"put a blank after the dash: - {kind}")
        return Word(dash.text[1:], dash.at), position

    def _is_variable(self, node: Word) -> bool:
        text = node.text
        if _VARIABLE.fullmatch(text):
            return True
        name = shorten(_NOT_IN_NAMES.sub("", text).strip("-.+") or "x")
        fix = f"write ?{name} - type" if text.endswith("-") else f"write ?{name}"
        self.error(node, f"`{shorten(text)}` is no variable: a variable starts with ?", fix)
        return False

    def _type_expression(self, node: Node, dash: Word) -> str:
        if isinstance(node, Word):
            return self.name(node, dash, "type") or OBJECT
        if node.head == "either" and len(node.items) > 1:
            words = [item for item in node.items[1:] if isinstance(item, Word)]
            names = [name for word in words if (name := self.name(word, dash, "type"))]
            if len(names) == len(node.items) - 1:
                return OBJECT if OBJECT in names else union_of(names)
        self.error(node, "a type is expected after `-`", "write - type or - (either type1 type2)")
        return OBJECT

    def types_declared(self, entries: Iterable[Typed]) -> None:
        """An error for every type that is used but not declared."""
        parents = self.vocabulary.types.parents
        for entry in entries:
            nodes = entry.type_node.items[1:] if isinstance(entry.type_node, Group) else [entry.type_node]
            for node in nodes:
                if isinstance(node, Word) and node.text != OBJECT and node.text not in parents:
                    use = f"use a declared type ({listed(parents)}) or " if parents else ""
                    message = f"type {shorten(node)} is not declared{did_you_mean(node.text, parents)}"
                    fix = f"{use}add it to the domain's (:types ...)"
                    self.error(node, message, fix, Code.UNDECLARED_TYPE, node.text)

    def objects(self, nodes: Sequence[Node], what: str, known: Mapping[str, str]) -> dict[str, str]:
        """`known` objects and their types, and behind them those that a typed list declares.

        An object that is declared twice is a warning, or an error if the types differ.
        """
        entries = self.typed_list(nodes, what)
        types = dict(known)
        for entry in entries:
            if entry.name not in types:
                types[entry.name] = entry.type
                continue
            report = self.warning if types[entry.name] == entry.type else self.error
            message, key = f"{what} {shorten(entry.name)} is declared twice", (what, entry.name, entry.type)
            report(entry.node, message, "keep one declaration", Code.DUPLICATE, key)
        self.types_declared(entries)
        return types

    def _fits(self, found: str | None, wanted: str) -> bool:
        """Whether a term of type `found` may stand where `wanted` is declared; unknown types fit."""
        types = self.vocabulary.types
        if found is None or types.is_subtype(found, wanted):
            return True
        return not types.declares(found) or not types.declares(wanted)

    def arguments(self, atom: Group, parameters: Parameters, scope: Scope) -> tuple[str, ...]:
        """The argument names of `atom`, whose head takes `parameters`; every fault is recorded."""
        arguments = atom.items[1:]
        if any(isinstance(a, Word) and a.text.startswith("-") for a in arguments):
            message = f"{shorten(atom)} names types with `-`, which only declarations do"
            self.error(atom, message, f"write {shorten(_without_types(atom), 200)}")
            return tuple("" for _ in parameters)
        kinds = [self.term(argument, scope) for argument in arguments]
        if len(arguments) != len(parameters):
            self._wrong_arity(atom, parameters)
        else:
            misfits = (i for i, kind in enumerate(kinds) if not self._fits(kind, parameters[i][1]))
            place = next(misfits, None)
            if place is not None:
                self._mismatch(atom, place, parameters, scope)
        return tuple(a.text if isinstance(a, Word) else "" for a in arguments)

    def term(self, node: Node, scope: Scope) -> str | None:
        """The type expression of a term; None and an error if it is not known in `scope`."""
        if isinstance(node, Group):
            nested = "arguments are single words; write a nested condition as its own part"
            message = f"{shorten(node)} stands where a variable or object is expected"
            self.error(node, message, nested if node.items else "remove it")
            return None
        found = scope.type_of(node.text)
        if found is None:
            (self._unbound if node.text[0] == "?" else self._undeclared_object)(node, scope)
        return found

    def _unbound(self, node: Word, scope: Scope) -> None:
        name = shorten(node)
        fix = f"add {name} to :parameters or to an exists or forall"
        if scope.variables:
            fix = f"use one that is bound ({listed(scope.variables)}), or {fix}"
        elif not scope.place:
            fix = "write an object's name, or bind the variable with exists or forall"
        message = f"variable {name} is not bound here{did_you_mean(node.text, scope.variables)}"
        self.error(node, message, fix, Code.UNDECLARED_VARIABLE, (scope.place, node.text))

    def _undeclared_object(self, node: Word, scope: Scope) -> None:
        name, hint = shorten(node), ""
        if f"?{node.text}" in scope.variables:
            fix = f"write ?{name} with a question mark"
        elif not is_name(node.text):
            fix = "use a parameter" if scope.place else "use a declared name"
        else:
            hint = did_you_mean(node.text, scope.objects)
            fix = _NO_OBJECT if scope.place else "use a declared name, or add it to the (:objects ...)"
        self.error(node, f"object {name} is not declared{hint}", fix, Code.UNDECLARED_OBJECT, node.text)

    def _wrong_arity(self, atom: Group, parameters: Parameters) -> None:
        wanted, given = len(parameters), len(atom.items) - 1
        plural = "s" * (wanted != 1)
        message = f"{atom.head} takes {wanted} argument{plural}, but {shorten(atom)} gives {given}"
        declared = _declaration(atom, parameters)
        fix = f"write it as declared: {declared}; or change the declaration and every use"
        self.error(atom, message, fix, Code.ARITY)

    def _mismatch(self, atom: Group, place: int, parameters: Parameters, scope: Scope) -> None:
        argument, wanted = atom.items[place + 1], parameters[place][1]
        candidates = (scope.variables or scope.objects).items()
        fitting = list(islice((n for n, t in candidates if self.vocabulary.types.is_subtype(t, wanted)), 9))
        widen = f", or widen the declaration {_declaration(atom, parameters)}"
        message = (
            f"argument {place + 1} of {shorten(atom)} must be of type {wanted}, "
            f"but {shorten(argument)} is of type {scope.type_of(str(argument))}"
        )
        other = f"use one of type {wanted}{f': {listed(fitting)}' if fitting else widen}"
        self.error(argument, message, self._swap(atom, parameters, scope) or other, Code.TYPE_MISMATCH)

    def _swap(self, atom: Group, parameters: Parameters, scope: Scope) -> str:
        """The fix that exchanges two arguments, if that makes every type right; else nothing."""
        names = [node.text for node in atom.items[1:] if isinstance(node, Word)]
        if len(names) != len(parameters) or len(names) > 8:
            return ""
        for i, j in combinations(range(len(names)), 2):
            trial = names[:]
            trial[i], trial[j] = trial[j], trial[i]
            typed = zip(map(scope.type_of, trial), parameters, strict=True)
            if all(kind and self._fits(kind, wanted) for kind, (_, wanted) in typed):
                swapped = shorten(f"({' '.join([atom.head, *trial])})", 200)
                return f"swap arguments {i + 1} and {j + 1}: {swapped}"
        return ""


def _is_dangling(node: Node, nodes: Sequence[Node], position: int) -> bool:
    """Whether a node is a `-` and what stands at `position` behind it, if anything, is another one."""
    return str(node) == "-" and (position == len(nodes) or str(nodes[position]) == "-")


def _without_types(atom: Group) -> str:
    """An atom that names the types of its arguments, without them."""
    kept: list[str] = []
    nodes = iter(atom.items)
    for node in nodes:
        if not (isinstance(node, Word) and node.text.startswith("-")):
            kept.append(str(node))
        elif node.text == "-":
            next(nodes, None)
    return f"({' '.join(kept)})"


def _declaration(atom: Group, parameters: Parameters) -> str:
    return shorten(show_declaration(atom.head, parameters), 200)
