"""Translating a task in words into a PDDL problem, the domain being given: one request, no example."""

from __future__ import annotations

from agents.llm.interface import Message
from agents.prompts import load, render


def translation_request(domain: str, task: str) -> tuple[Message, ...]:
    """Translate `task` (words) into a problem of `domain` (PDDL)."""
    question = render("translate/task.md", domain=domain.strip(), task=task.strip())
    return Message("system", load("translate/system.md")), Message("user", question)
