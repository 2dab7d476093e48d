"""Tasks of environments as pairs: those of a data set, or any task with the text that it comes with."""

from __future__ import annotations

from envs.folder import PAIRS_PREFIX
from envs.invariants import world_invariants
from envs.pddl.language.domain import read_vocabulary
from envs.planetarium.pairs import Pair
from envs.planetarium.published import is_published
from envs.planetarium.source import find_pair
from envs.reading import read_facts
from envs.source import WorldTexts, read_texts
from envs.variants import split_variant


def pair_at(env: str, task: int | str) -> Pair:
    """The pair that a task is. Raises WorldNotFound, ValueError for a goal that is no conjunction."""
    texts = read_texts(env, task)
    base, variant = split_variant(env)
    if base.startswith(PAIRS_PREFIX) and not str(variant):
        return find_pair(base.removeprefix(PAIRS_PREFIX), int(task))
    return _of_texts(texts, variant.level.value if variant.level else "as given")


def invariants_at(env: str, pair: Pair) -> str:
    """The invariants of the world that a pair of an environment belongs to; empty if it has none.

    A domain of the published data has its own predicates, so nothing is known of it.
    """
    base = split_variant(env)[0]
    if not base.startswith(PAIRS_PREFIX):
        return world_invariants(env)
    return "" if is_published(base.removeprefix(PAIRS_PREFIX)) else world_invariants(pair.world)


def _of_texts(texts: WorldTexts, level: str) -> Pair:
    facts = read_facts(texts.problem, read_vocabulary(texts.domain))
    return Pair(
        id=f"{texts.name}-{texts.problem_name}",
        world=texts.name,
        text=texts.task,
        problem=texts.problem,
        placeholder=False,
        init_abstract=False,
        goal_abstract=False,
        init_layout="",
        goal_layout="",
        level=level,
        size=len(facts.init) + len(facts.goal),
        objects=len(facts.objects),
    )
