"""The writers of tasks by level of naturalness, for all levels of `envs.variants.WRITTEN`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from envs.pddl.language.vocabulary import Vocabulary
from envs.tasks import TaskFacts
from envs.variants import Level
from envs.wording.compact import compact
from envs.wording.narrative import narrative
from envs.wording.text import TaskText, explicit
from envs.wording.words import Words

WRITERS: Mapping[Level, Callable[[TaskFacts, Vocabulary, Words], TaskText]] = MappingProxyType(
    {Level.EXPLICIT: explicit, Level.COMPACT: compact, Level.NARRATIVE: narrative}
)
