"""What has no partner in another problem, in words.

Colour refinement tells vertices apart round by round. At the first round in which the two graphs have
different numbers of vertices of some class, the surplus vertices have no partner, whatever is mapped where.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from envs.pddl.equivalence.goals import show_signed
from envs.pddl.equivalence.refinement import refinements, surplus
from envs.pddl.equivalence.scenes import GOAL, GOAL_NEGATED, INIT, Graph, Marked
from envs.pddl.language import GroundAtom

#: What was drawn into a graph.
Said = Sequence[Marked]
_SIDES = ("first", "second")
#: So many things without a partner are named on each side.
_NAMED = 3
_NO_BIJECTION = "everything has a partner by itself, but no mapping of the objects suits all of it together"


def unequal_counts(one: Mapping[str, str], other: Mapping[str, str]) -> str:
    """Which kinds of objects the two problems have in different numbers; empty if there is none."""
    here, there = Counter(one.values()), Counter(other.values())
    uneven = [kind for kind in sorted({*here, *there}) if here[kind] != there[kind]]
    told = (f"{here[k]} of type {k} in the first problem, {there[k]} in the second" for k in uneven)
    return "objects: " + "; ".join(told) if uneven else ""


def without_partner(one: Graph, other: Graph, said: tuple[Said, Said]) -> str:
    """What of two different graphs has no partner; `said` is what was drawn into each."""
    for here, there in zip(refinements(one), refinements(other), strict=False):
        lonely = surplus(here, there), surplus(there, here)
        if any(lonely):
            told = [
                f"in the {side} problem " + _told(graph, vertices, about)
                for side, graph, vertices, about in zip(_SIDES, (one, other), lonely, said, strict=True)
                if vertices
            ]
            return "no partner has " + "; ".join(told)
    if one.header != other.header:
        return _unlike_headers(said)
    return _NO_BIJECTION


def _told(graph: Graph, vertices: Sequence[int], said: Said) -> str:
    """The objects or, if there is none, the atoms behind vertices, with what is said of them."""
    count = len(graph.objects)
    objects = [graph.objects[v] for v in vertices if v < count]
    if objects:
        named = [_object(name, said) for name in objects[:_NAMED]]
        more = len(objects) - len(named)
    else:
        places = list(dict.fromkeys(graph.atoms[v - count] for v in vertices))
        named = [_atoms(said, lambda a, place=place: a[1:] == place) for place in places[:_NAMED]]  # type: ignore[misc]
        more = len(places) - len(named)
    return ", ".join([*named, *([f"and {more} more"] if more else [])])


def _object(name: str, said: Said) -> str:
    alone = _atoms(said, lambda atom: atom[1:] == (name,))
    around = _atoms(said, lambda atom: name in atom[1:] and len(atom) > 2)
    facts = " ".join(text for text in (alone, around) if text)
    return f"{name} with {facts}" if facts else f"{name}, of which nothing is said"


def _unlike_headers(said: tuple[Said, Said]) -> str:
    texts = [_atoms(about, lambda atom: len(atom) == 1) or "none" for about in said]
    return f"facts without objects: {texts[0]} in the first problem, {texts[1]} in the second"


def _atoms(said: Said, chosen: Callable[[GroundAtom], bool]) -> str:
    """The chosen atoms as PDDL, `goal:` before those of the goal where the initial state is told too."""
    marks = [mark for mark, _ in said]
    texts = []
    for mark, atoms in said:
        shown = [show_signed(a, mark != GOAL_NEGATED) for a in sorted(atoms) if chosen(a)]
        before = "goal " if INIT in marks and mark in (GOAL, GOAL_NEGATED) else ""
        texts += [f"{before}{text}" for text in shown]
    return " ".join(texts)
