"""The steps of one operator: what it needs and makes true, one step for each way that it can run.

An operator with effects under conditions becomes several steps, one for each choice of the conditions that
are met. With too many conditions it stays one step, whose effects may happen or not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

#: Conditions of one operator's effects above which it is not split up.
MAX_CONDITIONS = 6

#: Numbers of literals; see `transitions`.
Literals = frozenset[int]


@dataclass(frozen=True)
class Step:
    """An operator, or one way that it can run."""

    needs: Literals
    makes: Literals  #: true afterwards; their opposites are false
    #: changes that may happen or not, each with literals that held before if it did
    may: frozenset[tuple[int, Literals]] = frozenset()


@dataclass(frozen=True)
class Bundle:
    """Effects under one condition."""

    condition: Literals
    plain: bool  #: whether the condition is these literals, and not only implies them
    changes: list[int]  #: the literals that they make true


def ways(needs: Literals, sure: Sequence[int], bundles: Sequence[Bundle]) -> Iterator[Step]:
    """The steps of an operator with these needs, sure changes, and changes under conditions."""
    if len(bundles) > MAX_CONDITIONS:
        yield _unsplit(needs, sure, bundles)
        return
    for chosen in product((True, False), repeat=len(bundles)):
        step = _split(needs, sure, list(zip(chosen, bundles, strict=True)))
        if not any(literal ^ 1 in step.needs for literal in step.needs):
            yield step


def _split(needs: Literals, sure: Sequence[int], choice: Sequence[tuple[bool, Bundle]]) -> Step:
    """The step in which the chosen effects happen and the others do not."""
    more, changes = set(needs), list(sure)
    for met, bundle in choice:
        if met:
            more |= bundle.condition
            changes += bundle.changes
        elif bundle.plain and len(bundle.condition) == 1:
            more |= {literal ^ 1 for literal in bundle.condition}
    return Step(frozenset(more), _made(changes))


def _unsplit(needs: Literals, sure: Sequence[int], bundles: Sequence[Bundle]) -> Step:
    """One step for all choices. What is surely deleted but may be added is left open."""
    made = _made(sure)
    may = {(change, bundle.condition) for bundle in bundles for change in bundle.changes}
    undone = {literal for literal in made if literal & 1 and any(change == literal ^ 1 for change, _ in may)}
    may |= {(literal, frozenset()) for literal in undone}
    may = {(change, condition) for change, condition in may if change ^ 1 not in made - undone}
    return Step(needs, made - undone, frozenset(may))


def _made(changes: Sequence[int]) -> Literals:
    """The literals that hold after changes: what is added and deleted is added."""
    added = {change for change in changes if not change & 1}
    return frozenset(added.union(change for change in changes if change ^ 1 not in added))
