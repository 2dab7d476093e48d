"""What is wrong with an action's PDDL, by class, in words that say how to fix it.

The verdicts are those of `envs.pddl.diagnosis.diagnose` on a domain that holds the types, the predicates
known so far and this one action, so nothing passes here that fails elsewhere. What only concerns the way of
writing action by action is found here: predicates listed as new that exist already, and parameters that are
given.

Source of the first four classes: Guan et al. 2023, Appendix A.3; the words are ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from agents.replies import ReplyTooLarge, hint
from agents.worldmodel.model import (
    ActionBrief,
    ActionModel,
    PredicateNote,
    WorldModel,
    groups_of,
    signature_of,
)
from agents.worldmodel.replies import EXPECTED, ActionReply, Section, read_reply
from envs.pddl.diagnosis.diagnose import diagnose
from envs.pddl.language.issues import Code, Issue, Severity
from envs.pddl.language.sexpr import Group


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
    signature = brief.signature or signature_of(brief.name, tuple((p.name, p.type) for p in listed))
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
