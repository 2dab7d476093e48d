"""What somebody who translates a world's tasks into its IR has to know, as texts.

A helper predicate is explained in `rules.lp` by comments that start with two percent signs,

    %% tile_grid(R, C, T): tile T lies in row R and column C of the floor;
    %% row 0 is the bottom row.

where a line without a colon behind the predicate goes on with the line before.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from envs.pddl.language import read_vocabulary
from envs.pddl.vocabulary import OBJECT
from envs.registry import WORLDS, WORLDS_FOLDER
from envs.source import read_file, read_texts
from envs.variants import split_variant
from envs.wording.words import fill

RULES = "rules.lp"
EXAMPLE = "example"
EXAMPLE_IR = "example.lp"
_HELPER = re.compile(r"(\w+\([^()]*\)): (.+)")


@dataclass(frozen=True)
class KnowledgeTexts:
    """A world's domain, rules and words, and its example in words, as IR and in PDDL."""

    domain: str  #: PDDL
    rules: str  #: ASP
    types: Mapping[str, str]  #: type → what it is
    predicates: Mapping[str, str]  #: predicate → what an atom of it means, in the names of its parameters
    helpers: Mapping[str, str]  #: helper predicate of the rules, `tile_grid(R, C, T)` → what it means
    example_task: str  #: in words, at the level of naturalness that was asked for
    example_ir: str  #: ASP
    example_problem: str  #: PDDL


def worlds_with_rules() -> tuple[str, ...]:
    """The names of the built-in worlds that have rules, sorted."""
    return tuple(sorted(name for name in WORLDS if (WORLDS_FOLDER / name / RULES).is_file()))


def read_knowledge(world: str) -> KnowledgeTexts:
    """What there is to know about a built-in world or a folder with the same files.

    `world` may have a suffix that says how natural the example's text is, as in `storage+compact`. Raises
    WorldNotFound if there is no such world, or no rules or no example for it.
    """
    base, _ = split_variant(world)
    folder = WORLDS_FOLDER / base if base in WORLDS else Path(base)
    texts = read_texts(world, EXAMPLE)
    rules = read_file(folder / RULES)
    domain, words = read_vocabulary(texts.domain), texts.words
    types = [*domain.types.parents, *([] if domain.types.parents else [OBJECT])]
    return KnowledgeTexts(
        domain=texts.domain,
        rules=rules,
        types={name: _noun_and_meaning(words.type(name).one, words.type(name).about) for name in types},
        predicates={
            name: fill(
                words.predicate(name, len(parameters)).positive, [v.lstrip("?") for v, _ in parameters]
            )
            for name, parameters in domain.predicates.items()
        },
        helpers=helpers_of(rules),
        example_task=texts.task,
        example_ir=read_file(folder / EXAMPLE_IR),
        example_problem=texts.problem,
    )


def helpers_of(rules: str) -> dict[str, str]:
    """What the comments of some rules say about helper predicates."""
    helpers: dict[str, str] = {}
    lines = (line.removeprefix("%%").strip() for line in rules.splitlines() if line.startswith("%%"))
    for line in lines:
        start = _HELPER.fullmatch(line)
        if start:
            helpers[start[1]] = start[2]
        elif helpers:
            last = next(reversed(helpers))
            helpers[last] = f"{helpers[last]} {line}"
    return helpers


def _noun_and_meaning(noun: str, about: str) -> str:
    """`shot glass: holds one drink`."""
    return f"{noun}: {about}" if about else noun
