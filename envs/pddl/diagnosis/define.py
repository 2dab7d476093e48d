"""The outermost form of a text, `(define (domain name) section ...)`, cut into its sections."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field

from envs.pddl.diagnosis.findings import Findings, did_you_mean, shorten
from envs.pddl.diagnosis.terms import check_name
from envs.pddl.language.issues import Code, PDDLError
from envs.pddl.language.sexpr import Group, Node, Source, Word, read_sexprs, unclosed_form

#: A comma, or a comment, in which it may stand.
_COMMA = re.compile(r";[^\r\n]*|(?P<comma>,)")


@dataclass
class Define:
    """A `define` form: its name and its sections, in the order of the text."""

    form: Group
    name: str
    sections: dict[str, Group] = field(default_factory=dict)  #: `:init` and so on; the first of each
    actions: list[Group] = field(default_factory=list)

    def nodes(self, section: str) -> list[Node]:
        """What a section holds after its keyword; empty if there is no such section."""
        group = self.sections.get(section)
        return group.items[1:] if group is not None else []


def read_define(
    findings: Findings, kind: str, known: Collection[str], foreign: Collection[str]
) -> Define | None:
    """The one `(define (kind name) ...)` of the text; None, and an error, if there is none.

    `known` are the sections that may stand in it, `foreign` those of PDDL that we do not read.
    Raises PDDLError if a parenthesis is missing or too much.
    """
    top = read_sexprs(_without_commas(findings))
    forms = [node for node in top if isinstance(node, Group) and node.head == "define"]
    stray = next((node for node in top if not isinstance(node, Group) or node.head != "define"), None)
    if stray is not None:
        findings.error(
            Code.SYNTAX,
            stray,
            f"`{shorten(stray)}` stands outside of (define ({kind} ...) ...)",
            "send the PDDL alone: remove code fences, explanations and surplus parentheses",
        )
    if not forms:
        if stray is None:
            start = Group([], 0)
            findings.error(Code.SYNTAX, start, "the text is empty", f"write (define ({kind} name) ...)")
        return None
    if len(forms) > 1:
        message = f"there are {len(forms)} define forms in the text, one is expected"
        findings.error(Code.MULTIPLE_DEFINE, forms[1], message, f"send one (define ({kind} ...) ...) alone")
    unclosed = unclosed_form(findings.source, forms[0])
    if unclosed is not None:
        raise PDDLError([unclosed])
    return _cut(findings, forms[0], kind, known, foreign)


def _without_commas(findings: Findings) -> Source:
    """The text with blanks for its commas, which are one fault; comments aside, every place stays."""
    source = findings.source
    text = _COMMA.sub(lambda found: " " if found["comma"] else found[0], source.text)
    at = next((found.start() for found in _COMMA.finditer(source.text) if found["comma"]), None)
    if at is not None:
        message = "a comma stands here, but PDDL separates words by blanks"
        findings.error(Code.SYNTAX, Word(",", at), message, "remove every comma, or put a blank in its place")
    return Source(text, source.name)


def _cut(
    findings: Findings, form: Group, kind: str, known: Collection[str], foreign: Collection[str]
) -> Define | None:
    title = form.items[1] if len(form.items) > 1 else None
    if not isinstance(title, Group) or title.head != kind:
        other = {"domain": "problem", "problem": "domain"}[kind]
        swapped = isinstance(title, Group) and title.head == other
        message = (
            f"this is a {other}, a {kind} is expected"
            if swapped
            else f"({kind} name) is missing after define"
        )
        findings.error(Code.SYNTAX, title or form, message, f"start with (define ({kind} name) ...)")
        if swapped:
            return None
    name = ""
    if isinstance(title, Group) and title.head == kind and len(title.items) > 2:
        message = f"{shorten(title)} has {len(title.items) - 1} words, but names one {kind}"
        fix = f"write ({kind} {shorten(title.items[1])})"
        findings.error(Code.SYNTAX, title, message, fix)
    elif isinstance(title, Group) and title.head == kind:
        name = check_name(findings, title.items[1] if len(title.items) == 2 else None, title, kind) or ""
    define = Define(form, name)
    untitled = isinstance(title, Group) and title.head.startswith(":")
    for node in form.items[1 if untitled else 2 :]:
        if isinstance(node, Group) and node.head.startswith(":"):
            _file(findings, define, node, known, foreign)
        else:
            fix = f"write sections such as ({next(iter(known))} ...)"
            findings.error(Code.SYNTAX, node, f"{shorten(node)} is not a section", fix)
    return define


def _file(
    findings: Findings, define: Define, node: Group, known: Collection[str], foreign: Collection[str]
) -> None:
    """Put one section where it belongs."""
    head = node.head
    if head in foreign:
        message = f"({head} ...) is not supported"
        findings.error(Code.UNSUPPORTED_FEATURE, node, message, "leave it out and model without it", key=head)
    elif head not in known:
        message = f"unknown section {shorten(head)}{did_you_mean(head, known)}"
        findings.error(Code.SYNTAX, node, message, f"use one of {' '.join(known)}")
    elif head == ":action":
        define.actions.append(node)
    elif head in define.sections:
        message = f"there is a second ({head} ...) section"
        findings.error(Code.DUPLICATE, node, message, "join both into one section")
    else:
        define.sections[head] = node
