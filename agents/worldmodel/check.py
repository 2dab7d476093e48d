"""Actions out of a reply, and what is wrong with their PDDL, by class, in words that say how to fix it.

A reply may reason first and may hold several actions, each under a heading of its own, in sections under
headings such as `### Parameters`, `**Parameters:**` or `Parameters:`, each read into plain data or refused by
name; where one is repeated within an action the last one counts, since a reply that corrects itself ends with
what it means.

The verdicts are those of `envs.pddl.diagnosis.diagnose` on a domain that holds the types, the predicates
known so far and this one action, so nothing passes here that fails elsewhere. What only concerns the way of
writing action by action is found here: predicates listed as new that exist already, and parameters that are
given.

Source of the first four classes: Guan et al. 2023, Appendix A.3; the words are ours.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from agents.edits import NotOneForm, read_declaration, read_forms
from agents.replies import ReplyTooLarge, check_size, code_blocks, hint
from agents.worldmodel.model import ActionBrief, ActionModel, PredicateNote, WorldModel, groups_of
from envs.pddl.diagnosis.diagnose import diagnose
from envs.pddl.interface import ActionSignature, Parameter
from envs.pddl.language.issues import Code, Issue, Severity
from envs.pddl.language.sexpr import Group
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


class ReplyFaultKind(StrEnum):
    """What is wrong with a reply."""

    KEYWORD = "unsupported keyword"
    NAMED_LIKE_TYPE = "predicate named like a type"
    PREDICATE_EXISTS = "predicate defined again"
    UNKNOWN_TYPE = "unknown type"
    ARGUMENT = "wrong argument"  #: of another type, or too many or too few
    UNDECLARED = "undeclared name"
    SCOPE = "variable out of scope"
    NO_EFFECT = "no effect"
    SYNTAX = "syntax"
    INTERFACE = "action interface"  #: no such action, or other parameters than given
    SECTION = "unreadable section"
    UNANSWERED = "no answer"


_KINDS = {
    Code.UNSUPPORTED_FEATURE: ReplyFaultKind.KEYWORD,
    Code.NAME_CLASH: ReplyFaultKind.NAMED_LIKE_TYPE,
    Code.UNDECLARED_TYPE: ReplyFaultKind.UNKNOWN_TYPE,
    Code.TYPE_MISMATCH: ReplyFaultKind.ARGUMENT,
    Code.ARITY: ReplyFaultKind.ARGUMENT,
    Code.UNDECLARED_PREDICATE: ReplyFaultKind.UNDECLARED,
    Code.UNDECLARED_OBJECT: ReplyFaultKind.UNDECLARED,
    Code.UNDECLARED_FUNCTION: ReplyFaultKind.UNDECLARED,
    Code.UNDECLARED_VARIABLE: ReplyFaultKind.SCOPE,
    Code.EMPTY_EFFECT: ReplyFaultKind.NO_EFFECT,
}
#: Words that a model without disjunctions, quantifiers and conditional effects does without.
STRIPS_ONLY = ("or", "imply", "exists", "forall", "when")
_WARNINGS = (Code.NAME_CLASH, Code.EMPTY_EFFECT)
#: How a fault is fixed here, where its own words speak of whole domains.
_FIXES = {
    ReplyFaultKind.NAMED_LIKE_TYPE: "rename the predicate",
    ReplyFaultKind.UNKNOWN_TYPE: "use one of the types of the environment, or object; types cannot be added",
    ReplyFaultKind.KEYWORD: "say the same with predicates, inventing new ones if there is no other way",
}


@dataclass(frozen=True)
class ReplyFault:
    """One fault of a reply."""

    kind: ReplyFaultKind
    words: str


@dataclass(frozen=True)
class Judged:
    """The model with the actions of a reply that are without fault, and the faults of the others."""

    model: WorldModel
    faults: tuple[ReplyFault, ...] = ()


def judge(text: str, model: WorldModel, current: str, forbidden: Sequence[str] = ()) -> Judged:
    """What a reply brings to `model`; `current` is the action that is meant where it names none.

    `forbidden` are words such as `forall` that conditions and effects must do without.
    """
    try:
        replies = read_reply(text)
    except ReplyTooLarge as refusal:
        return Judged(model, (ReplyFault(ReplyFaultKind.SECTION, str(refusal)),))
    faults: list[ReplyFault] = []
    for reply in replies:
        name = reply.action or current
        brief = model.brief.action(name)
        if brief is None:
            faults.append(_unknown_action(name, model))
            continue
        action, found = _judged_action(reply, brief, model, forbidden)
        faults += found
        if action is not None and not found:
            model = model.with_action(action, reply.predicates)
    return Judged(model, tuple(faults))


def _judged_action(
    reply: ActionReply, brief: ActionBrief, model: WorldModel, forbidden: Sequence[str]
) -> tuple[ActionModel | None, list[ReplyFault]]:
    found = [ReplyFault(ReplyFaultKind.SECTION, words) for words in reply.faults]
    found += _interface(reply, brief)
    found += _existing(reply.predicates, model)
    parameters = brief.signature if reply.parameters is None else reply.parameters
    if None in (reply.precondition, reply.effect, parameters):
        return None, found
    action = _action(reply, brief)
    found += _forbidden(action, forbidden)
    return action, found + list(_diagnosed(action, reply.predicates, model))


def _action(reply: ActionReply, brief: ActionBrief) -> ActionModel:
    listed = reply.parameters or ()
    own = tuple(Parameter(p.name, p.type) for p in listed)
    signature = brief.signature or ActionSignature(brief.name, own)
    said = {parameter.name: parameter.meaning for parameter in listed}
    meanings = tuple(said.get(parameter.name, "") for parameter in signature.parameters)
    return ActionModel(signature, reply.precondition or "", reply.effect or "", meanings)


def _interface(reply: ActionReply, brief: ActionBrief) -> Iterator[ReplyFault]:
    """Parameters that are missing, or others than those given."""
    if brief.signature is None:
        if reply.parameters is None:
            words = f"there is no section `Parameters`; expected: {EXPECTED[Section.PARAMETERS]}"
            yield ReplyFault(ReplyFaultKind.SECTION, words)
        return
    given = tuple((p.name.lower(), p.type.lower()) for p in brief.signature.parameters)
    if reply.parameters is not None and tuple((p.name, p.type) for p in reply.parameters) != given:
        listed = ", ".join(f"{name} - {kind}" for name, kind in given) or "none"
        words = f"the parameters of {brief.name} are given and stay as they are: {listed}"
        yield ReplyFault(ReplyFaultKind.INTERFACE, words)


def _existing(new: Sequence[PredicateNote], model: WorldModel) -> Iterator[ReplyFault]:
    """Predicates listed as new that the model has, or that are listed twice."""
    seen: set[str] = set()
    for note in new:
        known = model.predicate(note.name)
        words = ""
        if note.name in seen:
            words = f"the new predicate {note.name} is listed twice: keep one"
        elif known is not None and known.declaration == note.declaration:
            words = f"{note.declaration} exists already: use it, and do not list it under `New predicates`"
        elif known is not None:
            words = (
                f"{note.declaration} has the name of a predicate that exists, {known}: "
                "use that one if it says what you need, or give the new one another name"
            )
        if words:
            yield ReplyFault(ReplyFaultKind.PREDICATE_EXISTS, words)
        seen.add(note.name)


def _diagnosed(action: ActionModel, new: Sequence[PredicateNote], model: WorldModel) -> Iterator[ReplyFault]:
    """The issues of a domain with the known predicates, the new ones and this action alone."""
    fresh = {note.name: note for note in new if model.predicate(note.name) is None}
    alone = replace(
        model,
        predicates=(*model.predicates, *fresh.values()),
        actions=(action,),
        brief=replace(model.brief, actions=(ActionBrief(action.signature.name, "this action"),)),
    )
    for issue in diagnose(alone.text()).issues:
        if issue.severity is Severity.ERROR or issue.code in _WARNINGS:
            kind = _KINDS.get(issue.code, ReplyFaultKind.SYNTAX)
            yield ReplyFault(kind, _words(issue, kind))


def _words(issue: Issue, kind: ReplyFaultKind) -> str:
    """What is wrong, the line it is in, and how to fix it; without its place, as the text is made here."""
    line = issue.snippet.strip()
    while line.endswith(")") and line.count(")") > line.count("("):
        line = line[:-1]
    return f"{issue.message}\n   in: {line}\n   fix: {_FIXES.get(kind, issue.fix)}"


def _unknown_action(name: str, model: WorldModel) -> ReplyFault:
    there = hint(name, (action.name for action in model.brief.actions), "the actions are")
    words = f"there is no action `{name[:80]}`, and none can be added; {there}"
    return ReplyFault(ReplyFaultKind.INTERFACE, words)


def _forbidden(action: ActionModel, forbidden: Sequence[str]) -> Iterator[ReplyFault]:
    """Words that conditions and effects do without; a negated conjunction is another way to write `or`."""
    groups = [group for form in (action.precondition, action.effect) for group in groups_of(form)]
    heads = {group.head for group in groups}
    wrong = [f"the keyword {word} is not supported here" for word in forbidden if word in heads]
    negated = (part for group in groups if group.head == "not" for part in group.items[1:])
    if "or" in forbidden and any(isinstance(part, Group) and part.head == "and" for part in negated):
        wrong.append(
            "the negation of a conjunction, (not (and ...)), is a disjunction, which is not supported here"
        )
    fix = _FIXES[ReplyFaultKind.KEYWORD]
    yield from (ReplyFault(ReplyFaultKind.KEYWORD, f"{words}\n   fix: {fix}") for words in wrong)
