"""What somebody who translates a world's tasks into its IR has to know, as texts.

A helper predicate is explained in `rules.lp` by comments that start with two percent signs,

    %% tile_grid(R, C, T): tile T lies in row R and column C of the floor;
    %% row 0 is the bottom row.

where a line without a colon behind the predicate goes on with the line before. One that only texts of one
level need is explained at that level alone, whose name stands right behind the percent signs:

    %%terse max_height(N): at most N blocks can be piled up on a position

What is explained for terse texts is explained for given ones too, which may leave out as much.

A built-in world has its files. A folder has its own where they are there. Where they are not, the rules and
the example are those of the built-in world that declares the same (`twin_of`), or else there are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from envs.folder import find_text, read_file, words_in
from envs.intermediate.gold_ir import terse_ir
from envs.intermediate.implied import IMPLIED, read_implied
from envs.pddl.language.domain import read_domain, read_problem, read_vocabulary
from envs.pddl.language.issues import PDDLError
from envs.pddl.language.vocabulary import OBJECT, Vocabulary
from envs.reading import read_facts
from envs.registry import WORLDS, WORLDS_FOLDER
from envs.source import canonical_name, read_texts
from envs.variants import Level, Variant, split_variant
from envs.verbalisation.words import Words, fill

RULES = "rules.lp"
EXAMPLE = "example"
EXAMPLE_IR = "example.lp"
#: The stems under which an example is looked for in a folder: ours, and that of published folders.
EXAMPLES = (EXAMPLE, "p_example")
_COMMENT = re.compile(rf"%%({'|'.join(Level)})?(?(1)\s+|\s*)(.*?)\s*")
_HELPER = re.compile(r"(\w+\([^()]*\)): (.+)")


@dataclass(frozen=True)
class KnowledgeTexts:
    """A world's domain, rules and words, and its example in words, as IR and in PDDL."""

    domain: str  #: PDDL
    rules: str  #: ASP
    types: Mapping[str, str]  #: type → what it is
    predicates: Mapping[str, str]  #: predicate → what an atom of it means, in the names of its parameters
    helpers: Mapping[str, str]  #: helper predicate of the rules, `tile_grid(R, C, T)` → what it means
    example_task: str  #: in words, at the level that was asked for; empty without an example
    example_ir: str  #: ASP; empty if no file holds one
    example_problem: str  #: PDDL; empty without an example


@dataclass(frozen=True)
class WorldExample:
    """One task that is shown as an example."""

    task: str  #: in words
    problem: str  #: PDDL
    ir: str  #: ASP; empty if no file holds one
    origin: str  #: where it comes from, in words


@dataclass(frozen=True)
class Sources:
    """Where the knowledge about a folder comes from."""

    rules: str  #: ASP; empty if there are none
    rules_origin: str  #: in words
    twin: str | None  #: the built-in world whose rules these are
    example: WorldExample | None
    doubts: tuple[str, ...]  #: of each example that is there and cannot be shown, what is wrong with it


def worlds_with_rules() -> tuple[str, ...]:
    """The names of the built-in worlds that have rules, sorted."""
    return tuple(sorted(name for name in WORLDS if (WORLDS_FOLDER / name / RULES).is_file()))


def read_knowledge(world: str) -> KnowledgeTexts:
    """What there is to know about a built-in world or a folder.

    `world` may have a suffix that says which text the example has, as in `storage+compact`. Raises
    WorldNotFound if there is no such world, or no rules for a built-in one.
    """
    base, variant = split_variant(canonical_name(world))
    if base not in WORLDS:
        domain = read_file(Path(base) / "domain.pddl")
        return _knowledge(domain, words_in(Path(base)), sources_of(world), variant.level or Level.GIVEN)
    texts, rules = read_texts(world, EXAMPLE), read_file(WORLDS_FOLDER / base / RULES)
    sources = Sources(rules, base, None, _built_in_example(base, variant.level, base), ())
    return _knowledge(texts.domain, texts.words, sources, variant.level)


def _built_in_example(world: str, level: Level | None, origin: str) -> WorldExample:
    """The example of a built-in world; its IR states what its text does where that is a terse one."""
    texts, folder = read_texts(f"{world}{Variant(level)}", EXAMPLE), WORLDS_FOLDER / world
    if level is Level.TERSE:
        ir = terse_example_ir(folder, texts.domain, texts.problem)
    else:
        ir = read_file(folder / EXAMPLE_IR)
    return WorldExample(texts.task, texts.problem, ir, origin)


def terse_example_ir(folder: Path, domain: str, problem: str) -> str:
    """The IR of what the terse text of a task in a folder states. Raises WorldNotFound, ValueError."""
    declared = read_vocabulary(domain)
    return terse_ir(read_facts(problem, declared), declared, read_implied(read_file(folder / IMPLIED)))


def sources_of(world: str) -> Sources:
    """Where rules and example of a folder come from; a suffix says which text an example of its own has.

    Raises WorldNotFound if it is no folder with a domain, PDDLError if its domain cannot be read.
    """
    base, variant = split_variant(world)
    folder = Path(base)
    domain = read_file(folder / "domain.pddl")
    twin = twin_of(read_vocabulary(domain))
    rules, origin = "", "none, so that nothing follows from what a text states"
    if (folder / RULES).is_file():
        rules, origin, twin = read_file(folder / RULES), f"its own {RULES}", None
    elif twin is not None:
        rules = read_file(WORLDS_FOLDER / twin / RULES)
        origin = f"those of the built-in world {twin}, which declares the same"
    level = variant.level or Level.GIVEN
    doubts: list[str] = []
    example = next(_own_examples(folder, domain, level, doubts), None)
    if example is None and twin is not None:
        shown = Level.TERSE if level is Level.TERSE else Level.COMPACT
        example = _built_in_example(twin, shown, f"that of the built-in world {twin}")
    return Sources(rules, origin, twin, example, tuple(doubts))


def _own_examples(folder: Path, domain: str, level: Level, doubts: list[str]) -> Iterator[WorldExample]:
    """The examples in a folder that can be shown; what is wrong with the others is added to `doubts`."""
    for stem in (stem for stem in EXAMPLES if (folder / f"{stem}.pddl").is_file()):
        try:
            problem = read_file(folder / f"{stem}.pddl")
            read_problem(problem, read_domain(domain))
            given = level is Level.GIVEN and find_text(folder, stem) is not None
            shown = level if given or level is Level.TERSE else Level.COMPACT
            text = read_texts(f"{folder}+undocumented+{shown}", stem).task
        except PDDLError as error:
            doubts.append(f"{stem}.pddl: {error.brief()}")
        except (ValueError, OSError) as error:
            doubts.append(f"{stem}.pddl: {error}")
        else:
            file = folder / f"{stem}.lp"
            ir = read_file(file) if file.is_file() else ""
            if level is Level.TERSE:
                ir = terse_example_ir(folder, domain, problem)
            written = "its given text" if given else f"a {shown} text written from it"
            yield WorldExample(text, problem, ir, f"its own {stem}.pddl, {written}")


def twin_of(declared: Vocabulary) -> str | None:
    """The built-in world with rules that declares the same types, constants, predicates and actions.

    The names of variables and the order do not count, nor do functions: rules speak of facts alone.
    """
    own = _declarations(declared)
    return next((world for world in worlds_with_rules() if _declarations_of(world) == own), None)


@cache
def _declarations_of(world: str) -> tuple[object, ...]:
    return _declarations(read_vocabulary(read_file(WORLDS_FOLDER / world / "domain.pddl")))


def _declarations(declared: Vocabulary) -> tuple[object, ...]:
    typed = (declared.predicates, declared.actions)
    kinds = [{name: tuple(kind for _, kind in ps) for name, ps in found.items()} for found in typed]
    return (declared.types.parents, declared.constants, *kinds)


def _knowledge(domain_text: str, words: Words, sources: Sources, level: Level | None) -> KnowledgeTexts:
    """The knowledge about a domain, for texts of a level."""
    domain, example = read_vocabulary(domain_text), sources.example or WorldExample("", "", "", "")
    nouns = {name: words.type(name) for name in domain.types.parents or [OBJECT]}
    types = {name: f"{noun.one}: {noun.about}" if noun.about else noun.one for name, noun in nouns.items()}
    predicates = {
        name: fill(words.predicate(name, len(parameters)).positive, [v.lstrip("?") for v, _ in parameters])
        for name, parameters in domain.predicates.items()
    }
    helpers = helpers_of(sources.rules, level)
    shown = (example.task, example.ir, example.problem)
    return KnowledgeTexts(domain_text, sources.rules, types, predicates, helpers, *shown)


def helpers_of(rules: str, level: Level | None = None) -> dict[str, str]:
    """What the comments of some rules say about helper predicates to a reader of texts of a level.

    Somebody wrote a given text, and may have left out what a terse one does.
    """
    helpers: dict[str, str] = {}
    shown = {"", level, *([Level.TERSE] if level is Level.GIVEN else [])}
    marks = (_COMMENT.fullmatch(line) for line in rules.splitlines())
    for line in (mark[2] for mark in marks if mark and (mark[1] or "") in shown):
        start = _HELPER.fullmatch(line)
        if start:
            helpers[start[1]] = start[2]
        elif helpers:
            last = next(reversed(helpers))
            helpers[last] = f"{helpers[last]} {line}"
    return helpers
