"""Actions out of a reply: sections under headings, each read into plain data or refused by name.

A reply may reason first and may hold several actions, each under a heading of its own. Headings are lines
such as `### Parameters`, `**Parameters:**` or `Parameters:`; where one is repeated within an action the last
one counts, since a reply that corrects itself ends with what it means. What PDDL texts mean is judged in
`check`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from enum import StrEnum

from agents.edits import NotOneForm, read_declaration, read_forms
from agents.replies import check_size, code_blocks
from agents.worldmodel.model import PredicateNote
from envs.pddl.language.vocabulary import OBJECT, union_of


class Section(StrEnum):
    """The sections that an action is written in."""

    PARAMETERS = "Parameters"
    PRECONDITION = "Precondition"
    EFFECT = "Effect"
    NEW_PREDICATES = "New predicates"


#: What each section should hold, for a reply that leaves it out.
EXPECTED = {
    Section.PARAMETERS: "a numbered list, `1. ?name - type: what it is`, or `none`",
    Section.PRECONDITION: "one PDDL condition in a code block, `(and ...)`, or `()` if there is none",
    Section.EFFECT: "one PDDL effect in a code block, `(and ...)`",
    Section.NEW_PREDICATES: "a numbered list, `1. (name ?x - type): true if ...`, or `none`",
}

#: Of a reply with more actions the last ones are read.
MAX_ACTIONS = 200

_FENCE = re.compile(r"^[ \t>]*(?:```|~~~)", re.MULTILINE)
_HEADING = re.compile(
    r"^[ \t]*(?:\#{1,6}[ \t]*|\d+[.)][ \t]*)?[*_]{0,2}"
    r"(?P<name>action|parameters|preconditions?|effects?|new[ \t]+predicates)"
    r"(?:[*_]{0,2}[ \t]*:[*_]{0,2}[ \t]*(?P<rest>.*)|[*_]{0,2}[ \t]*)$",
    re.IGNORECASE | re.MULTILINE,
)
_ITEM = re.compile(r"^[ \t]*(?:\d+[.)]|[-*+])?[ \t]*(?=[`(?])")
_PARAMETER = re.compile(
    r"^`?(\?\w[\w.+-]*)`?(?:[ \t]+-[ \t]+`?(\([^)]*\)|[\w.+-]+)`?)?`?[ \t]*(?:(?:[:,;—–]|-[ \t])[ \t]*(.*))?$"
)
_NONE = re.compile(
    r"^[ \t]*(?:[-*][ \t]*)?\(?(?:none|no\b.*|n/a|empty|\(\s*\))\)?[ \t]*\.?[ \t]*$", re.IGNORECASE
)


@dataclass(frozen=True)
class TypedParameter:
    """A parameter as a reply lists it."""

    name: str
    type: str
    meaning: str


@dataclass(frozen=True)
class ActionReply:
    """An action as a reply writes it. What is missing or cannot be read is in `faults`."""

    action: str | None  #: the name in its heading, if it has one
    parameters: tuple[TypedParameter, ...] | None = None  #: None: there is no such section
    precondition: str | None = None  #: one canonical form; empty for none
    effect: str | None = None
    predicates: tuple[PredicateNote, ...] = ()
    faults: tuple[str, ...] = ()


def read_reply(reply: str) -> tuple[ActionReply, ...]:
    """The actions of a reply in order; at least one, which may be empty. Raises ReplyTooLarge."""
    check_size(reply)
    reply = reply.replace("\r\n", "\n")
    blocks: list[tuple[str | None, dict[Section, str]]] = [(None, {})]
    fences = [fence.start() for fence in _FENCE.finditer(reply)]
    found = [h for h in _HEADING.finditer(reply) if bisect_left(fences, h.start()) % 2 == 0]
    ends = [*(heading.start() for heading in found[1:]), len(reply)]
    for heading, end in zip(found, ends, strict=False):
        body = f"{heading['rest'] or ''}\n{reply[heading.end() : end]}".strip()
        name = heading["name"].lower()
        if name == "action":
            named = re.match(r"[`*_]*([\w.+-]+)", body)
            blocks.append((named[1].lower() if named else None, {}))
        else:
            section = next(s for s in Section if s.lower()[:3] == name[:3])
            blocks[-1][1][section] = body
    written = [block for block in blocks if block[1]][-MAX_ACTIONS:]
    return tuple(_read_action(*block) for block in written) or (_read_action(None, {}),)


def _read_action(action: str | None, sections: dict[Section, str]) -> ActionReply:
    faults = [
        f"there is no section `{section}`; expected: {EXPECTED[section]}"
        for section in (Section.PRECONDITION, Section.EFFECT)
        if section not in sections
    ]
    parameters = _parameters(sections.get(Section.PARAMETERS), faults)
    precondition = _form(Section.PRECONDITION, sections.get(Section.PRECONDITION), faults)
    effect = _form(Section.EFFECT, sections.get(Section.EFFECT), faults)
    predicates = _predicates(sections.get(Section.NEW_PREDICATES, ""), faults)
    return ActionReply(action, parameters, precondition, effect, predicates, tuple(faults))


def _parameters(body: str | None, faults: list[str]) -> tuple[TypedParameter, ...] | None:
    if body is None:
        return None
    found = []
    for line in _items(body):
        entry = _PARAMETER.match(line)
        if entry is None:
            short = line if len(line) <= 80 else f"{line[:80]}..."
            faults.append(f"`{short}` is no parameter; expected: {EXPECTED[Section.PARAMETERS]}")
        else:
            kind = (entry[2] or OBJECT).lower()
            words = kind.strip("()").split()
            if words[:1] == ["either"] and len(words) > 1:
                kind = union_of(words[1:])
            found.append(TypedParameter(entry[1].lower(), kind, (entry[3] or "").strip()))
    return tuple(found)


def _predicates(body: str, faults: list[str]) -> tuple[PredicateNote, ...]:
    found = []
    for line in _items(body):
        declaration, meaning = _declaration(line.lstrip("`"))
        try:
            name, canonical = read_declaration(declaration)
        except NotOneForm as fault:
            faults.append(f"{fault}; expected: {EXPECTED[Section.NEW_PREDICATES]}")
        else:
            found.append(PredicateNote(name, canonical, meaning))
    return tuple(found)


def _declaration(line: str) -> tuple[str, str]:
    """The form that a line starts with, and what is said about it."""
    depth = 0
    for place, sign in enumerate(line):
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if depth == 0:
            return line[: place + 1], line[place + 1 :].strip(" \t`:,;|—–-").strip()
    return line, ""


def _form(section: Section, body: str | None, faults: list[str]) -> str | None:
    """The one PDDL form of a section; empty if it says that there is none."""
    if body is None:
        return None
    blocks = [block for block in code_blocks(body) if block.strip()]
    text = blocks[-1] if blocks else body.strip("` \t\n")
    if not text.strip() or _NONE.match(text):
        return ""
    try:
        return "".join(read_forms(text))
    except NotOneForm as fault:
        faults.append(f"{section}: {fault}; expected: {EXPECTED[section]}")
        return None


def _items(body: str) -> list[str]:
    """The entries of a list, one a line, without numbers and bullets. Other lines are prose."""
    lines = (line for line in body.splitlines() if not _NONE.match(line))
    return [line[found.end() :].strip() for line in lines if (found := _ITEM.match(line))]
