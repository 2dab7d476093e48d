"""What the methods of TIC know of a world: its domain, its rules, its words, and one example."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import lru_cache
from pathlib import Path

from agents.tic.infer import materialise, with_names_of
from agents.tic.knowledge import Knowledge
from envs.intermediate.gold_ir import gold_ir, plain_ir
from envs.intermediate.knowledge import EXAMPLES, helpers_of, read_knowledge, sources_of, worlds_with_rules
from envs.pddl.equivalence.as_written import same_as_written
from envs.pddl.equivalence.compare import Verdict
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.language.issues import PDDLError
from envs.reading import read_facts
from envs.registry import WORLDS
from envs.source import WorldNotFound, canonical_name
from envs.variants import ANONYMISED, Level, split_variant
from experiments.config import ConfigError


def knowledge_of(env: str) -> Knowledge:
    """The knowledge about a built-in world or a folder.

    In a built-in world it is the same at every level of its texts that says everything: the example's text is
    a compact one. At the terse level it is a terse one, and its IR states no more. In a folder the example's
    text is the given one, unless a level is asked for that is written from the PDDL. A
    folder without an example has none here. Raises ConfigError if there is no such world, if its domain
    cannot be read, or if a built-in world has no rules; InferenceFailed.
    """
    base, variant = split_variant(canonical_name(env))
    if variant.anonymised:
        raise ConfigError(f"{env}: the rules of a world are in its own names; leave out +{ANONYMISED}")
    level = variant.level or Level.GIVEN
    if base in WORLDS and level is not Level.TERSE:
        level = Level.COMPACT
    try:
        known = Knowledge(**asdict(read_knowledge(f"{base}+{level}")))
        if known.example_ir or not known.example_problem:
            return known
        twin = sources_of(base).twin
        made = _example_ir(twin, known.domain, known.rules, known.example_problem)
        return replace(known, example_ir=made)
    except (WorldNotFound, OSError, ValueError, PDDLError) as error:
        fault = f"{Path(base).name} cannot be translated by TIC: {error}"
        if base not in WORLDS and Path(base).is_dir():
            raise ConfigError(fault) from error
        there = ", ".join(worlds_with_rules())
        raise ConfigError(f"{fault}; name a folder, or a world with rules: {there}") from error


def knowledge_told(env: str) -> Iterator[str]:
    """Where the rules and the example for a folder come from, a line each; nothing for a built-in world.

    Raises WorldNotFound, PDDLError.
    """
    base, variant = split_variant(canonical_name(env))
    if base in WORLDS:
        return
    found = sources_of(f"{base}+{variant.level or Level.GIVEN}")
    yield f"rules: {found.rules_origin}"
    yield f"example: {found.example.origin if found.example else _no_example()}"
    yield from (f"not shown as an example: {doubt}" for doubt in found.doubts)


def _no_example() -> str:
    files = " or ".join(f"{stem}.pddl" for stem in EXAMPLES)
    return f"none; a file {files} with its text beside it would be one"


@lru_cache(maxsize=64)
def _example_ir(twin: str | None, domain: str, rules: str, problem: str) -> str:
    """The IR of an example that comes without one; empty if its goal is more than literals.

    With the rules of a built-in world, what they derive is left out if the problem follows without it;
    otherwise all that is true at first is stated. Raises PDDLError, InferenceFailed.
    """
    wanted = read_problem(problem, read_domain(domain))
    try:
        facts = read_facts(problem, wanted.domain.vocabulary)
    except PDDLError:
        raise
    except ValueError:
        return ""
    known = with_names_of(Knowledge(domain, rules, helpers=helpers_of(rules)), " ".join(facts.objects))
    if twin is not None:
        short = gold_ir(twin, facts, known.names.asp)
        found = materialise(short, known).problem
        if found is not None:
            same = same_as_written(read_problem(found, wanted.domain), wanted)
            if same.verdict is Verdict.EQUIVALENT:
                return short
    return plain_ir(facts, wanted.domain.vocabulary, known.names.asp)
