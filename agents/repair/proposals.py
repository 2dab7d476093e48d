"""Repair as the language model's partner: a proposal with the edits that a repair found, and its words.

A repair (`agents.repair`) gives back texts; a proposal is a draft that the language model goes on editing. So
the parts that the repair left alone keep their wording to the letter, the problem too, and requests about
them stay what they were.

The ledger of evidence is put in words as rows for records, as a table for people, short for a language model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from agents.draft import ActionDraft, DomainDraft
from agents.llm.interface import Finish, Usage
from agents.proposal import Mended, Proposal
from agents.repair.ledger import Entry, Standing
from agents.repair.repaired import Repaired
from envs.pddl.language.domain import Domain, read_domain, read_problem
from envs.pddl.language.render import render_problem
from envs.pddl.language.terms import DomainTree, Part, conjuncts_of, tree_of
from envs.pddl.language.vocabulary import show_declaration
from ew.counterexample.causes import order
from ew.counterexample.explanations import Change

#: What the words of a row say, in their order.
HEADER = ("action", "part", "literal", "model", "for", "against", "standing", "example")
#: Characters of an example in a record.
_MAX_EXAMPLE = 300

_GOAL = "The goal holds after a walk in the world, and would not without it."

#: One entry in words, see `HEADER`.
Row = tuple[str, ...]


def table(entries: Sequence[Entry]) -> str:
    """All entries, one a line, as a Markdown table; what stands for PDDL is set as code."""
    rows = [HEADER, tuple("-" * len(word) for word in HEADER), *(_row(e, "`") for e in entries)]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def rows(entries: Sequence[Entry], most: int) -> tuple[Row, ...]:
    """At most so many entries in words, in order: edited and refuted ones stay first, then needed ones."""
    ranked = sorted(range(len(entries)), key=lambda number: (_rank(entries[number]), number))
    return tuple(_cut(_row(entries[number], "")) for number in sorted(ranked[:most]))


def brief(entries: Sequence[Entry]) -> str:
    """What is proved, what is refuted and what is open, in a few lines an action; empty without entries."""
    return "\n".join(line for part in (_proved(entries), _refuted(entries), _open(entries)) for line in part)


def _rank(entry: Entry) -> int:
    """Lower stays rather."""
    if entry.edited or entry.standing is Standing.REFUTED:
        return 0
    return 1 if entry.standing is Standing.NEEDED else 2


def _cut(row: Row) -> Row:
    *words, example = row
    return (*words, example if len(example) <= _MAX_EXAMPLE else f"{example[: _MAX_EXAMPLE - 2]} …")


def _row(entry: Entry, quote: str) -> Row:
    edited = {(True, True): "added", (False, True): "removed", (True, False): "kept"}
    model = edited.get((entry.present, entry.edited), f"instead of {quote}{entry.rival_of}{quote}")
    return (
        entry.action,
        str(entry.part),
        f"{quote}{entry.literal}{quote}",
        model,
        str(entry.supporting),
        str(entry.refuting),
        str(entry.standing),
        str(entry.example or (_GOAL if entry.goal else "")),
    )


def _proved(entries: Sequence[Entry]) -> Iterator[str]:
    """One line for each part of each action."""
    needed = [e for e in entries if e.standing is Standing.NEEDED]
    places = list(dict.fromkeys((e.action, e.part) for e in needed))
    if places:
        yield "Proved: without these, something that was observed could not be explained."
    for action, part in places:
        literals = [e.literal for e in needed if (e.action, e.part) == (action, part)]
        yield f"- {part} of {action}: {' '.join(literals)}"


def _refuted(entries: Sequence[Entry]) -> Iterator[str]:
    refuted = [e for e in entries if e.standing is Standing.REFUTED]
    if refuted:
        yield "Refuted: with these, something that was observed could not be explained."
    for entry in refuted:
        yield f"- {entry.part} of {entry.action}: {entry.literal}. {entry.example}"


def _open(entries: Sequence[Entry]) -> Iterator[str]:
    """What nothing depends on; and an added literal together with its rivals."""
    unsure = [e for e in entries if e.standing is Standing.OPEN and not e.rival_of]
    if unsure:
        yield "Open: nothing that was observed decides these."
    for entry in unsure:
        line = f"- {entry.part} of {entry.action}: {entry.literal}"
        if not entry.rivals:
            yield f"{line}; nothing that was observed depends on it"
            continue
        place = (entry.action, entry.part, entry.literal)
        others = [e.literal for e in entries if (e.action, e.part, e.rival_of) == place]
        yield f"{line}, or one of {' '.join(others)} in its place. {entry.example}"


#: Characters of the ledger that are sent; whole lines, the first ones.
MAX_EVIDENCE = 4000
#: Entries of the ledger that are kept for people.
MAX_ENTRIES = 60


def repaired_proposal(parent: Proposal, numbers: Sequence[int], found: Repaired) -> Proposal:
    """The proposal that a repair on the problems at these places in `parent.problems` made of `parent`."""
    before = read_domain(parent.domain)
    after = read_domain(found.domain)
    child = replace(
        parent,
        draft=_edited(parent.draft, before, after),
        edits=max(1, len(found.described)),
        refusals=(),
        fault=None,
        finish=Finish.STOP,
        usage=Usage(),
        aside=(),
        mended=note_of(found),
        queries=found.world_queries,
        simulator=found.simulator,
    )
    for number, problem in zip(numbers, found.problems, strict=True):
        text = parent.problems[number]
        if render_problem(read_problem(text, before)) != render_problem(read_problem(problem, after)):
            child = child.with_problem(number, problem)
    return child


def note_of(found: Repaired) -> Mended:
    """What a repair has to say."""
    agrees = found.verdict.explains_walks
    kept = rows(found.evidence, MAX_ENTRIES)
    left_out = len(found.evidence) - len(kept)
    return Mended(agrees, found.described, _shortened(brief(found.evidence)), kept, left_out)


def edits_in_words(note: Mended) -> str:
    """The edits of a repair, which the domain and the problem have by now."""
    if not note.edits:
        return "Walks in the environment were compared with the model: no edit makes it agree better."
    start = "Walks in the environment were compared with the model, and these edits were made to it:"
    return "\n".join([start, *_listed(note.edits)])


def unsettled_in_words(note: Mended) -> str:
    """What a repair could not settle; its edits were not made."""
    lines = ["Walks in the environment were compared with the model, and edits of its literals were tried."]
    if note.edits:
        lines += ["These come nearest, and do not explain all that was observed:", *_listed(note.edits)]
    else:
        lines += ["None was found that explains more of what was observed."]
    lines += ["", note.evidence] if note.evidence else []
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
    predicates = tuple((name, show_declaration(name, kinds)) for name, kinds in declared.items())
    return replace(draft, actions=actions, predicates=predicates)


def _action(action: ActionDraft, old: DomainTree, new: DomainTree) -> ActionDraft:
    name = action.signature.name
    condition, effect = (new.part(name, part) for part in Part)
    if condition != old.part(name, Part.PRECONDITION):
        action = replace(action, preconditions=conjuncts_of(condition))
    if effect != old.part(name, Part.EFFECT):
        action = replace(action, effects=conjuncts_of(effect))
    return action


def _listed(edits: Sequence[str]) -> list[str]:
    return [f"- {edit}" for edit in edits]


def _shortened(text: str) -> str:
    if len(text) <= MAX_EVIDENCE:
        return text
    return text[: MAX_EVIDENCE - 4].rpartition("\n")[0] + "\n…"
