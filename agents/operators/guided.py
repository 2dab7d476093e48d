"""Language-guided completion: a model adds the conditions that a learned operator cannot have found.

Operators that were learned by name alone lack what an action needs of objects that it does not change. A
language model proposes an operator with the same effects, all learned conditions and more of them, and gives
the variables names that can be read; a few true operators, each beside what was learned of it, show how.

A proposal is *refuted* by a step of the demonstrations that the learned operator explains and the proposal
does not. Then the model is told the step and the condition that failed there, and asked again in the same
conversation, up to so many times; if it never finds one that stands, the learned operator is kept. Without
further tries the proposal is taken as it comes, if it can be read at all.
Source: Siegel et al. 2024, sections 4.2 and 4.3; the paper asks again without saying why (`plain`).

A proposal is the text of one PDDL action; it is checked before it is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import pairwise, permutations
from math import perm

from agents.llm.interface import Completion, LanguageModel, Usage
from agents.operators.examples import whole_steps
from agents.operators.lifted import EQUAL, NamedLiteral, Operator, domain_of
from agents.operators.matching import TooLoose, explains
from agents.prompts import Messages, render, request, turn
from agents.replies import ReplyTooLarge, code_blocks
from agents.sampling import as_reply, derived_seed, resample, sample, why_unanswered
from envs.pddl.language.domain import read_domain
from envs.pddl.language.issues import PDDLError
from envs.pddl.language.sexpr import Group, Source, Word, read_sexprs
from envs.pddl.language.vocabulary import Vocabulary
from envs.pddl.traces.trace import Step, Trace, Traces

#: Ways to name learned variables after proposed ones that are tried.
MAX_RENAMINGS = 20_000


@dataclass(frozen=True)
class Completed:
    """What became of one learned operator."""

    operator: Operator  #: the proposal that was taken, or the learned one
    taken: bool  #: whether it is a proposal
    asked: int  #: how often the model was asked
    refusals: tuple[str, ...] = ()  #: why proposals were not taken, in words
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True)
class Shot:
    """An example: what was learned of an action, and its true operator."""

    learned: Operator
    true: Operator


def complete(
    model: LanguageModel,
    learned: Operator,
    shots: Sequence[Shot],
    traces: Traces,
    *,
    tries: int,
    seed: int,
    plain: bool = False,
) -> Completed:
    """Complete a learned operator; `tries` more proposals are asked for, each after the last was refuted.

    With 0 tries a proposal is not held against the traces. `plain`: the first request is sampled again, as
    published, and the reason of the refutation is left out. Raises what the model raises.
    """
    messages = guided_request(learned, shots, traces.vocabulary)
    refusals: list[str] = []
    usage = Usage()
    for number in range(tries + 1):
        label = derived_seed(seed, "guided", learned.name, number)
        again = plain and number > 0
        completion = resample(model, messages, label) if again else sample(model, messages, 1, label)[0]
        usage += completion.usage
        proposed, why = _proposed(completion, learned, traces.vocabulary)
        if proposed is not None and tries:
            why = refutation(proposed, learned, traces)
        if proposed is not None and why is None:
            return Completed(proposed, True, number + 1, tuple(refusals), usage)
        refusals.append(why or "")
        if not plain:
            messages = (*messages, as_reply(completion), turn("guided_again.md", why=why or ""))
    return Completed(learned, False, tries + 1, tuple(refusals), usage)


def guided_request(learned: Operator, shots: Sequence[Shot], vocabulary: Vocabulary) -> Messages:
    """The messages that ask for a completed operator."""
    pairs = (
        render(
            "guided_pair.md",
            learned=action_text(s.learned, vocabulary),
            completed=action_text(s.true, vocabulary),
        )
        for s in shots
    )
    return request(
        "guided_system.md",
        "guided.md",
        words=domain_of(vocabulary, []).strip(),
        examples="\n\n".join(pairs) or "None.",
        learned=action_text(learned, vocabulary),
    )


def completed_from(proposed: Operator, learned: Operator) -> Operator:
    """The proposal as a completion of the learned operator. Raises NoOperator if it is none.

    The name stays; effects must be the same and learned conditions kept, under some naming of the learned
    variables after the proposed ones.
    """
    if proposed.name != learned.name:
        raise NoOperator(f"the action is {learned.name}, not {proposed.name}: keep its name")
    named = [
        names
        for names in _namings(learned, proposed)
        if {effect.renamed(names) for effect in learned.effects} == set(proposed.effects)
    ]
    if not named:
        raise NoOperator(
            "its effects are not those of the learned action: keep these, whatever the variables are called"
        )
    lacking = [_lacking(learned, proposed, names) for names in named]
    fewest = min(lacking, key=len)
    if fewest:
        raise NoOperator(f"conditions that were learned are gone: keep {', '.join(map(str, fewest))}")
    return replace(
        learned,
        parameters=proposed.parameters,
        preconditions=proposed.preconditions,
        effects=proposed.effects,
        takes_arguments=False,
    )


def refutation(proposed: Operator, learned: Operator, traces: Traces) -> str | None:
    """Why the demonstrations refute a proposal, in words; None if they do not."""
    types = traces.vocabulary.types
    for number, trace, step in whole_steps(traces):
        if step.action != learned.action:
            continue
        try:
            refuted = explains(learned, trace, step, types) and not explains(proposed, trace, step, types)
        except TooLoose as error:
            return f"The reply cannot be taken: {error}"
        if refuted:
            return _why(proposed, trace, step, number, traces.vocabulary)
    return None


def _proposed(
    completion: Completion, learned: Operator, vocabulary: Vocabulary
) -> tuple[Operator | None, str | None]:
    """What a reply proposes, or why it proposes nothing that counts."""
    unanswered = why_unanswered(completion)
    if unanswered:
        return None, unanswered[:1].upper() + unanswered[1:] + "."
    try:
        blocks = code_blocks(completion.text) or (completion.text,)
        return completed_from(read_operator(blocks[-1], vocabulary), learned), None
    except (PDDLError, NoOperator, ReplyTooLarge) as refusal:
        return None, f"The reply cannot be taken: {refusal}"


def _namings(learned: Operator, proposed: Operator) -> Iterator[Mapping[str, str]]:
    """Ways to name the learned variables after proposed ones of the same type that are used alike.

    Those in the order of the proposal come first.
    """
    ours = [v for v, _ in learned.parameters]
    fitting = [v for v, _ in proposed.parameters if any(v in effect.terms for effect in proposed.effects)]
    if len(ours) > len(fitting) or perm(len(fitting), len(ours)) > MAX_RENAMINGS:
        return
    kinds, theirs = dict(learned.parameters), dict(proposed.parameters)
    for chosen in permutations(fitting, len(ours)):
        if all(kinds[one] == theirs[other] for one, other in zip(ours, chosen, strict=True)):
            yield dict(zip(ours, chosen, strict=True))


def _lacking(learned: Operator, proposed: Operator, names: Mapping[str, str]) -> list[NamedLiteral]:
    """Learned conditions that the proposal does not have, in its words."""
    wanted = (literal.renamed(names) for literal in learned.preconditions)
    return sorted(literal for literal in wanted if literal not in proposed.preconditions)


def _why(proposed: Operator, trace: Trace, step: Step, number: int, vocabulary: Vocabulary) -> str:
    """The refuting step, the condition that fails there, and what held of the objects that changed."""
    failing = _failing(proposed, trace, step, vocabulary)
    before, after = trace.state(step.before).true, trace.state(step.after or 0).true
    changed = {name for atom in before ^ after for name in atom[1:]} - vocabulary.constants.keys()
    near = sorted(f"({' '.join(atom)})" for atom in before if changed.intersection(atom[1:]))
    return (
        f"In step {number} of demonstration {trace.name}, {step.action} was executed. {failing}\n\n"
        f"What held before that step of the objects that it changed:\n\n```\n" + "\n".join(near) + "\n```"
    )


def _failing(proposed: Operator, trace: Trace, step: Step, vocabulary: Vocabulary) -> str:
    """The first added condition with which no objects fit any more."""
    kept: list[NamedLiteral] = []
    for literal in proposed.preconditions:
        tried = replace(proposed, preconditions=(*kept, literal))
        # conditions that are loose by themselves may be tied by later ones: they are passed over
        with suppress(TooLoose):
            if not explains(tried, trace, step, vocabulary.types):
                together = f" together with {' '.join(map(str, kept))}" if kept else ""
                return f"There were no objects for which {literal} held{together} before it."
        kept.append(literal)
    raise AssertionError(f"{proposed.name} explains the step after all")


class NoOperator(ValueError):
    """A text that is no operator of this form; the message says why."""


def read_operator(text: str, vocabulary: Vocabulary) -> Operator:
    """The operator of an `(:action ...)` over the words of `vocabulary`.

    Preconditions and effects must be literals or conjunctions of them. Raises PDDLError for a text that is
    no action over these words, NoOperator for one that says more than an operator can.
    """
    groups = [node for node in read_sexprs(Source(text, "action")) if isinstance(node, Group)]
    actions = [group for group in groups if group.head == ":action"]
    if len(actions) != 1:
        raise NoOperator(f"there must be one (:action ...), not {len(actions)}")
    # the reader of domains checks names, types and numbers of arguments
    domain = read_domain(_domain(vocabulary, str(actions[0])), "action")
    ((name, action),) = domain.actions.items()
    fields = _fields(actions[0])
    needed = tuple(_literals(fields.get(":precondition")))
    changed = tuple(_literals(fields.get(":effect")))
    if any(effect.predicate == EQUAL for effect in changed):
        raise NoOperator("an effect cannot be an equality")
    parameters = tuple((v.symbol, v.sort.name) for v in action.parameters)
    return Operator(name, parameters, _sorted(needed), _sorted(changed))


def action_text(operator: Operator, vocabulary: Vocabulary) -> str:
    """The operator as the text of an action, as it stands in a domain."""
    text = domain_of(vocabulary, [operator])
    return text[text.index("(:action") :].rstrip().removesuffix(")")


def _domain(vocabulary: Vocabulary, action: str) -> str:
    return f"{domain_of(vocabulary, []).rstrip().removesuffix(')')}\n{action})\n"


def _fields(action: Group) -> dict[str, Group]:
    """The groups behind the fields of an action."""
    items = action.items
    return {
        one.text: other
        for one, other in pairwise(items)
        if isinstance(one, Word) and one.text.startswith(":") and isinstance(other, Group)
    }


def _sorted(literals: Iterable[NamedLiteral]) -> tuple[NamedLiteral, ...]:
    return tuple(sorted(set(literals)))


def _literals(group: Group | None) -> Iterator[NamedLiteral]:
    """The literals of a conjunction; of `()`, none."""
    if group is None or not group.items:
        return
    if group.head == "and":
        for part in group.parts:
            yield from _literals(part)
    elif group.head == "not" and len(group.parts) == 1:
        yield _atom(group.parts[0]).negated
    else:
        yield _atom(group)


def _atom(group: Group) -> NamedLiteral:
    if group.head in ("and", "or", "not", "imply", "forall", "exists", "when") or group.parts:
        raise NoOperator(f"{group} is no literal: write one conjunction of literals")
    return NamedLiteral(group.head, tuple(str(item) for item in group.items[1:]))
