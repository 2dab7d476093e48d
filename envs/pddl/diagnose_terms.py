"""Names, typed lists and atoms: what domain and problem checks have in common.

A `Scope` says what a term may name at some place: the variables bound there and the objects known there,
each with its type expression.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from envs.pddl.diagnose_findings import Findings, did_you_mean, shorten
from envs.pddl.issues import Code
from envs.pddl.sexpr import Group, Node, Word
from envs.pddl.vocabulary import OBJECT, Parameters, Types, show_typed, union_of

RESERVED = frozenset(
    ["and", "or", "not", "imply", "forall", "exists", "when", "either", "=", "increase", "decrease", "assign"]
)

_NAME = re.compile(r"[a-z0-9_][a-z0-9_@.+-]*")
_VARIABLE = re.compile(r"\?[a-z0-9_][a-z0-9_@.+-]*")


@dataclass(frozen=True)
class Scope:
    """What a term may name: `variables` and `objects`, each with its type expression."""

    variables: Mapping[str, str]
    objects: Mapping[str, str]

    def within(self, parameters: Parameters) -> Scope:
        """This scope with more variables, which hide outer ones of the same name."""
        return Scope({**self.variables, **dict(parameters)}, self.objects)

    def type_of(self, term: str) -> str | None:
        """The type expression of a variable or object; None if it is not known here."""
        return self.variables.get(term) if term[0] == "?" else self.objects.get(term)


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


def check_name(findings: Findings, node: Node | None, parent: Node, what: str) -> str | None:
    """The name that `node` holds, or None and an error at it (at `parent` if there is no node)."""
    if not isinstance(node, Word):
        findings.error(
            Code.SYNTAX, node or parent, f"{what} needs a name here", f"write the name of the {what}"
        )
        return None
    if node.text in RESERVED:
        fix = "choose another name"
        findings.error(Code.SYNTAX, node, f"`{node}` is a word of PDDL and cannot name a {what}", fix)
        return None
    if not _NAME.fullmatch(node.text):
        fix = "use letters, digits, - and _ only"
        findings.error(Code.SYNTAX, node, f"`{shorten(node)}` is not a name for a {what}", fix)
        return None
    return node.text


def typed_list(findings: Findings, nodes: Sequence[Node], what: str, variables: bool) -> list[Typed]:
    """The entries of `a b - t c - (either t u) d`; faults are recorded and left out of the answer."""
    entries: list[Typed] = []
    pending: list[Word] = []
    position = 0
    while position < len(nodes):
        node = nodes[position]
        position += 1
        if isinstance(node, Word) and node.text == "-":
            type_node = nodes[position] if position < len(nodes) else None
            position += 1
            expression = _type_expression(findings, type_node, node)
            if not pending:
                message = f"`- {shorten(type_node or '')}` has no {what} before it"
                findings.error(
                    Code.SYNTAX, node, message, f"name a {what} before the `-`, or remove the type"
                )
            entries.extend(Typed(word, expression, type_node) for word in pending)
            pending = []
        elif isinstance(node, Word) and _check_entry(findings, node, what, variables):
            pending.append(node)
        elif isinstance(node, Group):
            fix = "write names only, as in `a b - type`"
            findings.error(Code.SYNTAX, node, f"{shorten(node)} stands where a {what} is expected", fix)
    entries.extend(Typed(word, OBJECT, None) for word in pending)
    return entries


def _check_entry(findings: Findings, node: Word, what: str, variables: bool) -> bool:
    text = node.text
    if text.startswith("-"):
        findings.error(
            Code.SYNTAX, node, f"`{shorten(text)}` is no {what}", f"put a blank after the dash: - {text[1:]}"
        )
        return False
    if not variables:
        return check_name(findings, node, node, what) is not None
    if _VARIABLE.fullmatch(text) and not text.endswith("-"):
        return True
    name = text.strip("?-") or "x"
    fix = f"write ?{name} - type" if text.endswith("-") else f"write ?{name}"
    findings.error(Code.SYNTAX, node, f"`{shorten(text)}` is no variable: a variable starts with ?", fix)
    return False


def _type_expression(findings: Findings, node: Node | None, dash: Word) -> str:
    if isinstance(node, Word) and check_name(findings, node, dash, "type"):
        return node.text
    if isinstance(node, Group) and node.head == "either" and len(node.items) > 1:
        names = [
            n.text for n in node.items[1:] if isinstance(n, Word) and check_name(findings, n, dash, "type")
        ]
        if len(names) == len(node.items) - 1:
            return OBJECT if OBJECT in names else union_of(names)
    if not isinstance(node, Word):
        findings.error(
            Code.SYNTAX,
            node or dash,
            "a type is expected after `-`",
            "write - type or - (either type1 type2)",
        )
    return OBJECT


def check_types_declared(findings: Findings, entries: Sequence[Typed], types: Types) -> None:
    """An error for every type that is used but not declared."""
    for entry in entries:
        nodes = entry.type_node.items[1:] if isinstance(entry.type_node, Group) else [entry.type_node]
        for node in nodes:
            if isinstance(node, Word) and node.text != OBJECT and node.text not in types.parents:
                findings.error(
                    Code.UNDECLARED_TYPE,
                    node,
                    f"type {shorten(node)} is not declared{did_you_mean(node.text, types.parents)}",
                    f"use a declared type ({_listed(types.parents)}) or add it to the domain's (:types ...)",
                    key=node.text,
                )


def check_unique(findings: Findings, entries: Sequence[Typed], what: str, known: Mapping[str, str]) -> None:
    """An error for every name that is in `known` or twice in `entries`."""
    seen = set(known)
    for entry in entries:
        if entry.name in seen:
            message = f"{what} {shorten(entry.name)} is declared twice"
            findings.error(
                Code.DUPLICATE, entry.node, message, "keep one declaration", key=(what, entry.name)
            )
        seen.add(entry.name)


def check_arguments(
    findings: Findings, atom: Group, parameters: Parameters, types: Types, scope: Scope
) -> tuple[str, ...]:
    """The argument names of `atom`, whose head takes `parameters`; every fault is recorded."""
    arguments = atom.items[1:]
    if len(arguments) != len(parameters):
        _report_arity(findings, atom, parameters)
    names = tuple(a.text if isinstance(a, Word) else "" for a in arguments)
    for argument in arguments:
        check_term(findings, argument, scope)
    if len(arguments) == len(parameters):
        for place, (argument, (_, wanted)) in enumerate(zip(arguments, parameters, strict=True)):
            found = scope.type_of(names[place]) if names[place] else None
            if found is not None and not types.is_subtype(found, wanted):
                _report_mismatch(findings, atom, place, argument, found, parameters, types, scope)
    return names


def check_term(findings: Findings, node: Node, scope: Scope) -> str | None:
    """The type expression of a term; None and an error if it is not known in `scope`."""
    if isinstance(node, Group):
        message = f"{shorten(node)} stands where a variable or object is expected"
        findings.error(
            Code.SYNTAX, node, message, "arguments are single words; write a nested condition as its own part"
        )
        return None
    name = node.text
    found = scope.type_of(name)
    if found is not None:
        return found
    if name[0] == "?":
        hint = did_you_mean(name, scope.variables)
        if scope.variables:
            bound = _listed(scope.variables)
            fix = f"use one that is bound ({bound}), or add {name} to :parameters or to an exists or forall"
        else:
            fix = "write an object's name, or bind the variable with exists or forall"
        findings.error(
            Code.UNDECLARED_VARIABLE, node, f"variable {shorten(name)} is not bound here{hint}", fix
        )
    else:
        hint = did_you_mean(name, scope.objects)
        if "?" + name in scope.variables:
            hint, fix = "", f"write ?{name} with a question mark"
        else:
            fix = "use a declared name, or declare it in (:objects ...), or in the domain's (:constants ...)"
        findings.error(
            Code.UNDECLARED_OBJECT, node, f"object {shorten(name)} is not declared{hint}", fix, key=name
        )
    return None


def _report_arity(findings: Findings, atom: Group, parameters: Parameters) -> None:
    declared = f"({atom.head} {show_typed(parameters)})" if parameters else f"({atom.head})"
    wanted, given = len(parameters), len(atom.items) - 1
    findings.error(
        Code.ARITY,
        atom,
        f"{atom.head} takes {wanted} argument{'s' * (wanted != 1)}, but {shorten(atom)} gives {given}",
        f"write it as declared: {declared}; or change the declaration and every use",
    )


def _report_mismatch(
    findings: Findings,
    atom: Group,
    place: int,
    argument: Node,
    found: str,
    parameters: Parameters,
    types: Types,
    scope: Scope,
) -> None:
    wanted = parameters[place][1]
    candidates = (scope.variables or scope.objects).items()
    fitting = list(islice((n for n, t in candidates if types.is_subtype(t, wanted)), 9))
    fix = _swap(atom, parameters, types, scope) or (
        f"use one of type {wanted}: {_listed(fitting)}"
        if fitting
        else f"use one of type {wanted}, or widen the declaration ({atom.head} {show_typed(parameters)})"
    )
    findings.error(
        Code.TYPE_MISMATCH,
        argument,
        f"argument {place + 1} of {shorten(atom)} must be of type {wanted}, "
        f"but {shorten(argument)} is of type {found}",
        fix,
    )


def _swap(atom: Group, parameters: Parameters, types: Types, scope: Scope) -> str:
    """The fix that exchanges two arguments, if that makes every type right; else nothing."""
    names = [str(a) for a in atom.items[1:]]
    if len(names) > 8:
        return ""
    for i in range(len(names)):
        for j in range(i + 1, len(names)):
            trial = names[:]
            trial[i], trial[j] = trial[j], trial[i]
            kinds = [scope.type_of(n) if n[0] != "(" else None for n in trial]
            if all(
                k is not None and types.is_subtype(k, w) for k, (_, w) in zip(kinds, parameters, strict=True)
            ):
                return f"swap arguments {i + 1} and {j + 1}: ({atom.head} {' '.join(trial)})"
    return ""


def _listed(names: Mapping[str, str] | Sequence[str], limit: int = 8) -> str:
    """The first names of a collection, for a message."""
    shown = islice(names, limit)
    return ", ".join(shown) + (", ..." if len(names) > limit else "")
