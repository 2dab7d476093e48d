"""The outermost form of a text, `(define (domain name) section ...)`, cut into its sections."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, field

from envs.pddl.diagnosis.findings import Findings, TooManyIssues, did_you_mean, shorten
from envs.pddl.diagnosis.formulas import FormulaChecker
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


class DefineChecker(FormulaChecker, ABC):
    """One pass over the one `(define (kind name) ...)` of a text, section by section."""

    kind: str  #: `domain` or `problem`
    other: str  #: the other of the two
    known: tuple[str, ...]  #: sections that may stand in it
    foreign: tuple[str, ...]  #: sections of PDDL that are not read
    form: Define

    def run(self) -> bool:
        """Find every fault; whether the text holds such a form and was read to its end."""
        try:
            found = self._form()
            if found is None:
                return False
            self.form = found
            self.check()
        except PDDLError as error:
            self.issues.extend(error.issues)
            return False
        except TooManyIssues:
            return False
        return True

    @abstractmethod
    def check(self) -> None:
        """Check the sections of `form`."""

    def _form(self) -> Define | None:
        """The form of the text; None, and an error, if there is none.

        Raises PDDLError if a parenthesis is missing or too much.
        """
        top = read_sexprs(_without_commas(self))
        forms = [node for node in top if isinstance(node, Group) and node.head == "define"]
        stray = next((node for node in top if not isinstance(node, Group) or node.head != "define"), None)
        if stray is not None:
            message = f"`{shorten(stray)}` stands outside of (define ({self.kind} ...) ...)"
            fix = "send the PDDL alone: remove code fences, explanations and surplus parentheses"
            self.error(stray, message, fix)
        elif not forms:
            self.error(Group([], 0), "the text is empty", f"write (define ({self.kind} name) ...)")
        if not forms:
            return None
        if len(forms) > 1:
            message = f"there are {len(forms)} define forms in the text, one is expected"
            fix = f"send one (define ({self.kind} ...) ...) alone"
            self.error(forms[1], message, fix, Code.MULTIPLE_DEFINE)
        unclosed = unclosed_form(self.source, forms[0])
        if unclosed is not None:
            raise unclosed
        return self._cut(forms[0])

    def _cut(self, form: Group) -> Define | None:
        title = form.items[1] if len(form.items) > 1 else None
        head = title.head if isinstance(title, Group) else ""
        define = Define(form, "")
        if isinstance(title, Group) and head == self.kind:
            define.name = self.only_name(title, self.kind) or ""
        else:
            message = f"({self.kind} name) is missing after define"
            if head == self.other:
                message = f"this is a {self.other}, a {self.kind} is expected"
            self.error(title or form, message, f"start with (define ({self.kind} name) ...)")
            if head == self.other:
                return None
        for node in form.items[1 if head.startswith(":") else 2 :]:
            if isinstance(node, Group) and node.head.startswith(":"):
                self._file(define, node)
            else:
                fix = f"write sections such as ({self.known[0]} ...)"
                self.error(node, f"{shorten(node)} is not a section", fix)
        return define

    def _file(self, define: Define, node: Group) -> None:
        """Put one section where it belongs."""
        head = node.head
        if head in self.foreign:
            message, fix = f"({head} ...) is not supported", "leave it out and model without it"
            self.error(node, message, fix, Code.UNSUPPORTED_FEATURE, head)
        elif head not in self.known:
            message = f"unknown section {shorten(head)}{did_you_mean(head, self.known)}"
            self.error(node, message, f"use one of {' '.join(self.known)}")
        elif head == ":action":
            define.actions.append(node)
        elif head in define.sections:
            message = f"there is a second ({head} ...) section"
            self.error(node, message, "join both into one section", Code.DUPLICATE)
        else:
            define.sections[head] = node


def _without_commas(findings: Findings) -> Source:
    """The text with blanks for its commas, which are one fault; comments aside, every place stays."""
    source = findings.source
    text = _COMMA.sub(lambda found: " " if found["comma"] else found[0], source.text)
    at = next((found.start() for found in _COMMA.finditer(source.text) if found["comma"]), None)
    if at is not None:
        message = "a comma stands here, but PDDL separates words by blanks"
        findings.error(Word(",", at), message, "remove every comma, or put a blank in its place")
    return Source(text, source.name)
