"""What the methods of TIC know of a world: its domain, its rules, its words, and one example."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from agents.tic.knowledge import Knowledge
from envs.intermediate.knowledge import EXAMPLE, EXAMPLE_IR, RULES, read_knowledge, worlds_with_rules
from envs.pddl.issues import PDDLError
from envs.source import WorldNotFound
from envs.variants import ANONYMISED, Level, split_variant
from experiments.config import ConfigError


def knowledge_of(env: str) -> Knowledge:
    """The knowledge about a world, the same at every level of its texts: the example's text is a compact one.

    Raises ConfigError if there are no rules or no example for it.
    """
    base, variant = split_variant(env)
    if variant.anonymised:
        raise ConfigError(f"{env}: the rules of a world are in its own names; leave out +{ANONYMISED}")
    try:
        texts = read_knowledge(f"{base}+{Level.COMPACT}")
    except (WorldNotFound, OSError, ValueError, PDDLError) as error:
        there = ", ".join(worlds_with_rules())
        raise ConfigError(
            f"{Path(base).name} cannot be translated by TIC: {error}; it takes {RULES}, {EXAMPLE}.pddl and "
            f"{EXAMPLE_IR} beside domain.pddl, as there are for {there}"
        ) from error
    return Knowledge(**asdict(texts))
