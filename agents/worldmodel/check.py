"""What is wrong with an action's PDDL, by class, in words that say how to mend it.

The verdicts are those of `envs.pddl.diagnosis.diagnose` on a domain that holds the types, the predicates
known so far and this one action, so nothing passes here that fails elsewhere. What only concerns the way of
writing action by action is found here: predicates listed as new that exist already, and parameters that are
given.

Source of the first four classes: Guan et al. 2023, Appendix A.3; the words are ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from enum import StrEnum

from agents.replies import ReplyTooLarge
from agents.worldmodel.brief import ActionBrief
from agents.worldmodel.model import ActionModel, PredicateNote, WorldModel, signature_of
from agents.worldmodel.replies import EXPECTED, ActionReply, Section, read_reply
from envs.pddl.diagnosis.diagnose import diagnose
from envs.pddl.language.issues import Code, Issue, Severity
from envs.pddl.language.sexpr import Group, Node, Source, read_sexprs


class FaultKind(StrEnum):
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
    Code.UNSUPPORTED_FEATURE: FaultKind.KEYWORD,
    Code.NAME_CLASH: FaultKind.NAMED_LIKE_TYPE,
    Code.UNDECLARED_TYPE: FaultKind.UNKNOWN_TYPE,
    Code.TYPE_MISMATCH: FaultKind.ARGUMENT,
    Code.ARITY: FaultKind.ARGUMENT,
    Code.UNDECLARED_PREDICATE: FaultKind.UNDECLARED,
    Code.UNDECLARED_OBJECT: FaultKind.UNDECLARED,
    Code.UNDECLARED_FUNCTION: FaultKind.UNDECLARED,
    Code.UNDECLARED_VARIABLE: FaultKind.SCOPE,
    Code.EMPTY_EFFECT: FaultKind.NO_EFFECT,
}
#: Words that a model without disjunctions, quantifiers and conditional effects does without.
STRIPS_ONLY = ("or", "imply", "exists", "forall", "when")
#: What a negation of several conditions is another way to write.
_OR = "or"
_WARNINGS = (Code.NAME_CLASH, Code.EMPTY_EFFECT)
#: How a fault is mended here, where its own words speak of whole domains.
_FIXES = {
    FaultKind.NAMED_LIKE_TYPE: "rename the predicate",
    FaultKind.UNKNOWN_TYPE: "use one of the types of the environment, or object; types cannot be added",
    FaultKind.KEYWORD: "say the same with predicates, inventing new ones if there is no other way",
}


_DISJUNCTION = (
    "the negation of a conjunction, (not (and ...)), is a disjunction, which is not supported here\n"
    f"   fix: {_FIXES[FaultKind.KEYWORD]}"
)


@dataclass(frozen=True)
class Fault:
    """One fault of a reply."""

    kind: FaultKind
    words: str


@dataclass(frozen=True)
class Judged:
    """The model with the actions of a reply that are without fault, and the faults of the others."""

    model: WorldModel
    faults: tuple[Fault, ...] = ()


def judge(text: str, model: WorldModel, current: str, forbidden: Sequence[str] = ()) -> Judged:
    """What a reply brings to `model`; `current` is the action that is meant where it names none.

    `forbidden` are words such as `forall` that conditions and effects must do without.
    """
    try:
        replies = read_reply(text)
    except ReplyTooLarge as refusal:
        return Judged(model, (Fault(FaultKind.SECTION, str(refusal)),))
    faults: list[Fault] = []
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
) -> tuple[ActionModel | None, list[Fault]]:
    found = [Fault(FaultKind.SECTION, words) for words in reply.faults]
    found += _interface(reply, brief)
    found += _existing(reply.predicates, model)
    if (
        reply.precondition is None
        or reply.effect is None
        or (reply.parameters is None and not brief.signature)
    ):
        return None, found
    action = _action(reply, brief)
    forms = (reply.precondition, reply.effect)
    found += [_forbidden(word) for word in forbidden if any(_uses(form, word) for form in forms)]
    if _OR in forbidden and any(_negates_several(form) for form in forms):
        found.append(Fault(FaultKind.KEYWORD, _DISJUNCTION))
    return action, found + list(_diagnosed(action, reply.predicates, model))


def _action(reply: ActionReply, brief: ActionBrief) -> ActionModel:
    listed = reply.parameters or ()
    signature = brief.signature or signature_of(brief.name, tuple((p.name, p.type) for p in listed))
    said = {parameter.name: parameter.meaning for parameter in listed}
    meanings = tuple(said.get(parameter.name, "") for parameter in signature.parameters)
    return ActionModel(signature, reply.precondition or "", reply.effect or "", meanings)


def _interface(reply: ActionReply, brief: ActionBrief) -> Iterator[Fault]:
    """Parameters that are missing, or others than those given."""
    if brief.signature is None:
        if reply.parameters is None:
            words = f"there is no section `Parameters`; expected: {EXPECTED[Section.PARAMETERS]}"
            yield Fault(FaultKind.SECTION, words)
        return
    given = tuple((p.name.lower(), p.type.lower()) for p in brief.signature.parameters)
    if reply.parameters is not None and tuple((p.name, p.type) for p in reply.parameters) != given:
        listed = ", ".join(f"{name} - {kind}" for name, kind in given) or "none"
        words = f"the parameters of {brief.name} are given and stay as they are: {listed}"
        yield Fault(FaultKind.INTERFACE, words)


def _existing(new: Sequence[PredicateNote], model: WorldModel) -> Iterator[Fault]:
    """Predicates listed as new that the model has, or that are listed twice."""
    seen: set[str] = set()
    for note in new:
        known = model.predicate(note.name)
        if note.name in seen:
            yield Fault(
                FaultKind.PREDICATE_EXISTS, f"the new predicate {note.name} is listed twice: keep one"
            )
        elif known is not None and known.declaration == note.declaration:
            words = f"{note.declaration} exists already: use it, and do not list it under `New predicates`"
            yield Fault(FaultKind.PREDICATE_EXISTS, words)
        elif known is not None:
            words = (
                f"{note.declaration} has the name of a predicate that exists, {known}: "
                "use that one if it says what you need, or give the new one another name"
            )
            yield Fault(FaultKind.PREDICATE_EXISTS, words)
        seen.add(note.name)


def _diagnosed(action: ActionModel, new: Sequence[PredicateNote], model: WorldModel) -> Iterator[Fault]:
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
            kind = _KINDS.get(issue.code, FaultKind.SYNTAX)
            yield Fault(kind, _words(issue, kind))


def _words(issue: Issue, kind: FaultKind) -> str:
    """What is wrong, the line it is in, and how to mend it; without a place in a text that nobody wrote."""
    line = issue.snippet.strip()
    while line.endswith(")") and line.count(")") > line.count("("):
        line = line[:-1]
    return f"{issue.message}\n   in: {line}\n   fix: {_FIXES.get(kind, issue.fix)}"


def _unknown_action(name: str, model: WorldModel) -> Fault:
    names = [action.name for action in model.brief.actions]
    near = get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]}?" if near else f"the actions are {', '.join(names)}"
    return Fault(FaultKind.INTERFACE, f"there is no action `{name[:80]}`, and none can be added; {hint}")


def _forbidden(word: str) -> Fault:
    words = f"the keyword {word} is not supported here\n   fix: {_FIXES[FaultKind.KEYWORD]}"
    return Fault(FaultKind.KEYWORD, words)


def _uses(form: str, word: str) -> bool:
    return any(group.head == word for group in _groups(form))


def _negates_several(form: str) -> bool:
    """Whether a condition holds the negation of a conjunction, which is a disjunction."""
    negated = (part for group in _groups(form) if group.head == "not" for part in group.items[1:])
    return any(isinstance(part, Group) and part.head == "and" for part in negated)


def _groups(form: str) -> Iterator[Group]:
    """The parenthesised parts of a form, itself among them."""
    waiting: list[Node] = list(read_sexprs(Source(form, "action"))) if form else []
    while waiting:
        node = waiting.pop()
        if isinstance(node, Group):
            yield node
            waiting.extend(node.items)
