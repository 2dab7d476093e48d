"""What the language model was asked, looked up in the run's journal by the key that a node keeps."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from agents.llm.errors import LLMError
from agents.llm.interface import Message
from agents.llm.journal import Journal
from agents.llm.keys import conversation_key


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
