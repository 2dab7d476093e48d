"""Repair as the language model's partner: a proposal with the edits that a repair found, and its words.

A repair (`agents.repair`) gives back texts; a proposal is a draft that the language model goes on editing. So
the parts that the repair left alone keep their wording to the letter, the problem too, and requests about
them stay what they were.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from agents.draft import ActionDraft, DomainDraft
from agents.llm.interface import Finish, Usage
from agents.proposal import Mended, Proposal
from agents.repair.ledger import Entry, Standing
from agents.repair.ledger_words import brief, rows
from agents.repair.repair import Repaired, Verdict
from envs.pddl.language.domain import Domain, read_domain, read_problem
from envs.pddl.language.render import render_problem
from envs.pddl.language.terms import DomainTree, Part, Tree, show, tree_of
from envs.pddl.language.vocabulary import show_typed
from ew.counterexample.causes import order
from ew.counterexample.explanations import Change

#: Characters of the ledger that are told; whole lines, the first ones.
MAX_EVIDENCE = 4000
#: Entries of the ledger that are kept for people.
MAX_ENTRIES = 60


def mended(parent: Proposal, number: int, found: Repaired) -> Proposal:
    """The proposal that a repair on the problem at a place in `parent.problems` made of `parent`."""
    before = read_domain(parent.domain)
    after = read_domain(found.domain)
    child = replace(
        parent,
        draft=_edited(parent.draft, before, after),
        edits=max(1, len(found.told)),
        refusals=(),
        fault=None,
        finish=Finish.STOP,
        usage=Usage(),
        aside=(),
        mended=words_of(found),
        queries=found.world_queries,
    )
    text = parent.problems[number]
    if render_problem(read_problem(text, before)) == render_problem(read_problem(found.problem, after)):
        return child
    return child.with_problem(number, found.problem)


def words_of(found: Repaired) -> Mended:
    """What a repair has to say."""
    agrees = found.verdict is Verdict.AGREES
    kept = rows(found.evidence, MAX_ENTRIES)
    left_out = len(found.evidence) - len(kept)
    return Mended(agrees, found.told, _shortened(brief(found.evidence)), kept, left_out)


def told(mended: Mended) -> str:
    """The edits of a repair, which the domain and the problem have by now."""
    if not mended.edits:
        return "Walks in the environment were compared with the model: no edit makes it agree better."
    start = "Walks in the environment were compared with the model, and these edits were made to it:"
    return "\n".join([start, *_listed(mended.edits)])


def unsettled(mended: Mended) -> str:
    """What a repair could not settle; its edits were not made."""
    lines = ["Walks in the environment were compared with the model, and edits of its literals were tried."]
    if mended.edits:
        lines += ["These come nearest, and do not explain all that was observed:", *_listed(mended.edits)]
    else:
        lines += ["None was found that explains more of what was observed."]
    lines += ["", mended.evidence] if mended.evidence else []
    return "\n".join(lines)


def proved_wrong(entries: Sequence[Entry]) -> frozenset[str]:
    """The single changes that the evidence has ruled out, as `ew.counterexample.causes.order` words them."""
    return frozenset(order(change, e.action, e.literal) for e in entries for change in _ruled_out(e))


def _ruled_out(entry: Entry) -> Iterator[Change]:
    if entry.standing is Standing.REFUTED:
        yield Change.ADD_PRECONDITION if entry.part is Part.PRECONDITION else Change.ADD_EFFECT
    elif entry.standing is Standing.NEEDED and entry.part is Part.PRECONDITION:
        yield Change.DROP_PRECONDITION


def _edited(draft: DomainDraft, before: Domain, after: Domain) -> DomainDraft:
    """The draft with what differs between two domains, the first of which is its own."""
    old, new = tree_of(before), tree_of(after)
    actions = tuple(_action(action, old, new) for action in draft.actions)
    declared = after.vocabulary.predicates
    if declared == before.vocabulary.predicates:
        return replace(draft, actions=actions)
    predicates = tuple(
        (name, f"({' '.join(filter(None, (name, show_typed(kinds))))})") for name, kinds in declared.items()
    )
    return replace(draft, actions=actions, predicates=predicates)


def _action(action: ActionDraft, old: DomainTree, new: DomainTree) -> ActionDraft:
    name = action.signature.name
    condition, effect = (new.part(name, part) for part in Part)
    if condition != old.part(name, Part.PRECONDITION):
        action = replace(action, preconditions=_parts(condition))
    if effect != old.part(name, Part.EFFECT):
        action = replace(action, effects=_parts(effect))
    return action


def _parts(whole: Tree) -> tuple[str, ...]:
    """The parts of a conjunction, each as a text."""
    assert not isinstance(whole, str), "a condition or effect is in parentheses"
    return tuple(map(show, whole[1:] if whole[:1] == ("and",) else (whole,)))


def _listed(edits: Sequence[str]) -> list[str]:
    return [f"- {edit}" for edit in edits]


def _shortened(text: str) -> str:
    if len(text) <= MAX_EVIDENCE:
        return text
    return text[: MAX_EVIDENCE - 4].rpartition("\n")[0] + "\n…"
