"""The candidates of every episode as the page's index: numbers and names, with texts by reference.

An episode is `{name, best, solved, nodes}`. A node's keys are those of `NodeRecord`, but for its
texts, which are numbers of `Texts`; for `prompt`, a list of (role, number); and for `story` and `repair`, the
number of a JSON text. Keys without a value are left out. Prompts are looked up in the run's journal, by the
key that a node keeps.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from agents.llm.errors import LLMError
from agents.llm.interface import Message
from agents.llm.journal import Journal
from agents.llm.keys import conversation_key
from ew.score.rating import Outcome
from experiments.reporting.html.texts import Texts
from experiments.runs.ledger import Ledger
from experiments.runs.records import NodeRecord

Plain = dict[str, Any]


def index(ledger: Ledger, journal: Path, texts: Texts) -> list[Plain]:
    """Every episode that has candidates, by name. Prompts come last: they are the first to be left out."""
    episodes = list(_episodes(ledger))
    nodes = [node for episode in episodes for node in episode["nodes"]]
    made = [(_plain(node, texts), node) for node in nodes]
    asked = conversations(journal, {n.asked for n in nodes if n.asked})
    for plain, node in made:
        if node.asked in asked:
            plain["prompt"] = _prompt(asked[node.asked], texts)
    found = iter(made)
    return [{**e, "nodes": [next(found)[0] for _ in e["nodes"]]} for e in episodes]


def conversations(journal: Path, wanted: Collection[str]) -> Mapping[str, tuple[Message, ...]]:
    """The wanted conversations by `NodeRecord.asked`, as far as the journal holds them.

    None if it cannot be read: a report is made of what there is, and only the prompts are nowhere else.
    """
    missing = set(wanted)
    if not missing or not journal.exists():
        return {}
    found: dict[str, tuple[Message, ...]] = {}
    try:
        with Journal(journal, read_only=True) as calls:
            for request in calls.requests():
                key = conversation_key(request["messages"], None)
                if key in missing:
                    found[key] = tuple(Message(m["role"], m["content"]) for m in request["messages"])
    except LLMError:
        return {}
    return found


def outcomes() -> list[Plain]:
    """What may become of a candidate, worst first: name, and the words for it."""
    return [{"name": o.name, "words": o.name.lower().replace("_", " ")} for o in Outcome]


def _episodes(ledger: Ledger) -> Iterator[Plain]:
    for unit, name in ledger.begun:
        nodes = ledger.nodes(unit)
        record = ledger.episode(unit)
        if nodes:
            done: Mapping[str, Any] = {} if record is None else {"best": record.best, "solved": record.solved}
            yield {"name": name, **done, "nodes": nodes}


def _plain(node: NodeRecord, texts: Texts) -> Plain:
    score, spent = node.score, node.spent
    values: Plain = {
        "id": node.id,
        "outcome": node.outcome,
        "ew": score.ew,
        "low": score.low,
        "high": score.high,
        "stderr": score.stderr,
        "forward": score.forward,
        "backward": score.backward,
        "queries": score.world_queries or None,
        "plan": node.plan,
        "failure": node.failure,
        "task": node.task or None,
        "tokens": [spent.prompt_tokens, spent.completion_tokens] if spent.tokens else None,
        "seconds": round(node.wall_s, 3),
        "domain": texts.add(node.domain),
        "problem": texts.add(node.problem),
        "reply": texts.add(node.reply),
        "feedback": texts.add(node.feedback or None),
        "story": None if node.story is None else texts.add(json.dumps(asdict(node.story))),
        "repair": None if node.repair is None else texts.add(json.dumps(asdict(node.repair))),
    }
    return {key: value for key, value in values.items() if value is not None}


def _prompt(messages: tuple[Message, ...], texts: Texts) -> list[tuple[str, int | None]]:
    return [(m.role, texts.add(m.content)) for m in messages]
