"""The candidates of every episode as the page's index: numbers and names, with texts by reference.

An episode is `{name, best, solved, nodes}`. A node's keys are those of `NodeRecord`, but for its
texts, which are numbers of `Texts`; for `prompt`, a list of (role, number); and for `story` and `repair`, the
number of a JSON text. Keys without a value are left out. Prompts are looked up in the run's journal, by the
key that a node keeps.

`Texts` stores each text once, compressed in chunks that a browser unpacks one at a time. Texts that are added
one after another share a chunk, and with it the window of the compression: a candidate's domain costs little
beside its parent's. What would make the page larger than its limit is left out and has the number LEFT_OUT.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Collection, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from agents.llm.errors import LLMError
from agents.llm.interface import Message
from agents.llm.journal import Journal
from agents.llm.keys import conversation_key
from ew.score.rating import Outcome
from experiments.runs.details import Repair
from experiments.runs.ledger import Ledger
from experiments.runs.records import NodeRecord, plain_data

Plain = dict[str, Any]


def index(ledger: Ledger, journal: Path, texts: Texts) -> list[Plain]:
    """Every episode that has candidates, by name. Prompts come last: they are the first to be left out."""
    episodes: list[Plain] = []
    made: list[tuple[Plain, NodeRecord]] = []
    for unit, name in ledger.begun:
        nodes, record = ledger.nodes(unit), ledger.episode(unit)
        if nodes:
            done: Plain = {} if record is None else {"best": record.best, "solved": record.solved}
            plain_nodes = [_plain(node, texts) for node in nodes]
            made += zip(plain_nodes, nodes, strict=True)
            episodes.append({"name": name, **done, "nodes": plain_nodes})
    asked = conversations(journal, {node.asked for _, node in made if node.asked})
    for plain, node in made:
        if node.asked and node.asked in asked:
            plain["prompt"] = [(m.role, texts.add(m.content)) for m in asked[node.asked]]
    return episodes


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


def _plain(node: NodeRecord, texts: Texts) -> Plain:
    score, spent = asdict(node.score), node.spent
    values: Plain = {name: getattr(node, name) for name in ("id", "outcome", "plan", "failure")}
    values |= {name: score[name] for name in ("ew", "low", "high", "stderr", "forward", "backward")}
    values |= {
        "queries": node.score.world_queries or None,
        "simulator": None if node.score.simulator is None else str(node.score.simulator),
        "task": node.task or None,
        "tokens": [spent.prompt_tokens, spent.completion_tokens] if spent.tokens else None,
        "seconds": round(node.wall_s, 3),
    }
    values |= {name: texts.add(getattr(node, name)) for name in ("domain", "problem", "reply")}
    values["feedback"] = texts.add(node.feedback or None)
    for name, detail in (("story", node.story), ("repair", node.added(Repair))):
        values[name] = None if detail is None else texts.add(json.dumps(plain_data(detail)))
    return {key: value for key, value in values.items() if value is not None}


#: Stands for a text that the page has no room for.
LEFT_OUT = -1
#: A text is shown to this length; the whole of it is in the run's files.
MAX_CHARACTERS = 200_000
#: Characters of a chunk: small enough to be unpacked unnoticed, large enough to compress well.
_CHUNK = 400_000
_LEVEL = 6


class Texts:
    """Texts on their way into a page; `limit` bounds what `chunks` come to, in bytes."""

    def __init__(self, limit: int):
        self._limit = limit
        self._numbers: dict[str, int] = {}
        self._open: list[str] = []
        self._open_size = 0
        self._packed: list[str] = []
        self._packed_size = 0
        self._starts: list[int] = []
        self.left_out = 0  #: how many texts there was no room for

    def add(self, text: str | None) -> int | None:
        """The number of `text`; None of None."""
        if text is None:
            return None
        known = self._numbers.get(text)
        if known is not None:
            return known
        if self._packed_size >= self._limit:
            self.left_out += 1
            return LEFT_OUT
        number = self._numbers[text] = len(self._numbers)
        if not self._open:
            self._starts.append(number)
        self._open.append(shortened(text))
        self._open_size += len(self._open[-1])
        if self._open_size >= _CHUNK:
            self._close()
        return number

    def chunks(self) -> tuple[tuple[int, str], ...]:
        """Every chunk: the number of its first text, and its texts as base64 of gzip of a JSON list."""
        self._close()
        return tuple(zip(self._starts, self._packed, strict=True))

    def _close(self) -> None:
        if self._open:
            self._packed.append(packed(self._open))
            self._packed_size += len(self._packed[-1])
            self._open, self._open_size = [], 0


def shortened(text: str) -> str:
    """The text, or its start and how much more there is."""
    more = len(text) - MAX_CHARACTERS
    return text if more <= 0 else f"{text[:MAX_CHARACTERS]}\n… and {more:,} characters more"


def packed(value: object) -> str:
    """A value as base64 of gzip of JSON; equal values give equal text."""
    data = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    return base64.b64encode(gzip.compress(data, _LEVEL, mtime=0)).decode("ascii")
