"""Names and typed lists, wherever they stand in a domain or problem."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from envs.pddl.diagnosis.findings import Findings, did_you_mean, listed, shorten
from envs.pddl.language.issues import Code
from envs.pddl.language.sexpr import Group, Node, Word
from envs.pddl.language.vocabulary import OBJECT, RESERVED, Types, is_name, union_of

_NOT_IN_NAMES = re.compile(r"[^a-z0-9_.+-]")
_VARIABLE = re.compile(r"\?[a-z0-9_][a-z0-9_.+-]*")


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
    if not isinstance(node, Word) or (node.text.startswith(":") and node is not parent):
        before = " before it" if isinstance(node, Word) else ""
        fix = f"write the name of the {what}{before}"
        findings.error(Code.SYNTAX, node or parent, f"{what} needs a name here", fix)
        return None
    if node.text in RESERVED:
        fix = "choose another name"
        findings.error(Code.SYNTAX, node, f"`{node}` is a word of PDDL and cannot name a {what}", fix)
        return None
    if not is_name(node.text):
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
        if _is_dangling(node, nodes, position):
            fix = "remove this `-`, or write one type after it, such as `- object`"
            findings.error(Code.SYNTAX, node, "no type follows this `-`", fix)
        elif isinstance(node, Word) and node.text.startswith("-"):
            type_node, position = _type_after(findings, node, nodes, position)
            expression = _type_expression(findings, type_node, node)
            if not pending:
                message = f"`- {shorten(type_node)}` has no {what} before it"
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


def _is_dangling(node: Node, nodes: Sequence[Node], position: int) -> bool:
    """Whether a node is a `-` and what stands at `position` behind it, if anything, is another one."""
    following = nodes[position] if position < len(nodes) else None
    last = following is None or (isinstance(following, Word) and following.text == "-")
    return last and isinstance(node, Word) and node.text == "-"


def _type_after(findings: Findings, dash: Word, nodes: Sequence[Node], position: int) -> tuple[Node, int]:
    """The type that a dash announces, and the position after it. `-type` is an error, but read."""
    if dash.text != "-":
        kind = shorten(dash.text[1:])
        findings.error(Code.SYNTAX, dash, f"`-{kind}` lacks a blank", f"put a blank after the dash: - {kind}")
        return Word(dash.text[1:], dash.at), position
    return nodes[position], position + 1


def _check_entry(findings: Findings, node: Word, what: str, variables: bool) -> bool:
    text = node.text
    if not variables:
        return check_name(findings, node, node, what) is not None
    if _VARIABLE.fullmatch(text) and not text.endswith("-"):
        return True
    name = shorten(_NOT_IN_NAMES.sub("", text).strip("-.+") or "x")
    fix = f"write ?{name} - type" if text.endswith("-") else f"write ?{name}"
    findings.error(Code.SYNTAX, node, f"`{shorten(text)}` is no variable: a variable starts with ?", fix)
    return False


def _type_expression(findings: Findings, node: Node, dash: Word) -> str:
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
            node,
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
                use = f"use a declared type ({listed(types.parents)}) or " if types.parents else ""
                findings.error(
                    Code.UNDECLARED_TYPE,
                    node,
                    f"type {shorten(node)} is not declared{did_you_mean(node.text, types.parents)}",
                    f"{use}add it to the domain's (:types ...)",
                    key=node.text,
                )


def check_unique(findings: Findings, entries: Sequence[Typed], what: str) -> None:
    """An error for every name that is twice in `entries`."""
    seen: set[str] = set()
    for entry in entries:
        if entry.name in seen:
            message = f"{what} {shorten(entry.name)} is declared twice"
            findings.error(
                Code.DUPLICATE, entry.node, message, "keep one declaration", key=(what, entry.name)
            )
        seen.add(entry.name)


def check_declared_once(
    findings: Findings, entries: Sequence[Typed], what: str, known: Mapping[str, str]
) -> None:
    """For every name that is in `known` or twice in `entries`, a warning; an error if the types differ."""
    types = dict(known)
    for entry in entries:
        if entry.name not in types:
            types[entry.name] = entry.type
            continue
        report = findings.warning if types[entry.name] == entry.type else findings.error
        message = f"{what} {shorten(entry.name)} is declared twice"
        key = (what, entry.name, entry.type)
        report(Code.DUPLICATE, entry.node, message, "keep one declaration", key=key)
