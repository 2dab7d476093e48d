"""What has no partner in another problem, in words.

Colour refinement tells vertices apart round by round. At the first round in which the two graphs have
different numbers of vertices of some class, the surplus vertices have no partner, whatever is mapped where.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from envs.pddl.equivalence.goals.goal import show_signed
from envs.pddl.equivalence.graphs.refinement import refinements, surplus
from envs.pddl.equivalence.graphs.scenes import GOAL_NEGATED, INIT, Graph, Marked
from envs.pddl.language.structure import GroundAtom

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
    counts = (f"{here[k]} of type {k} in the first problem, {there[k]} in the second" for k in uneven)
    return "objects: " + "; ".join(counts) if uneven else ""


def without_partner(one: Graph, other: Graph, said: tuple[Said, Said]) -> str:
    """What of two different graphs has no partner; `said` is what was drawn into each.

    Where a goal was drawn, something that it speaks of is named if there is anything.
    """
    first = ""
    for here, there in zip(
        *(refinements(graph.colours, graph.edges) for graph in (one, other)), strict=False
    ):
        lonely = surplus(here, there), surplus(there, here)
        spoken_of = _spoken_of(one, lonely[0], said[0]), _spoken_of(other, lonely[1], said[1])
        if any(spoken_of):
            return _both_told((one, other), spoken_of, said)
        if any(lonely):
            first = first or _both_told((one, other), lonely, said)
    if one.header != other.header:
        return _unlike_headers(said)
    return first or _NO_BIJECTION


def _spoken_of(graph: Graph, vertices: Sequence[int], said: Said) -> list[int]:
    """The vertices that a goal speaks of; all if no goal was drawn."""
    goal = [atom for mark, atoms in said if mark != INIT for atom in atoms]
    if all(mark == INIT for mark, _ in said):
        return list(vertices)
    names, places = {name for atom in goal for name in atom[1:]}, {atom[1:] for atom in goal}
    count = len(graph.objects)
    return [
        v for v in vertices if (graph.objects[v] in names if v < count else graph.atoms[v - count] in places)
    ]


def _both_told(
    graphs: tuple[Graph, Graph], vertices: tuple[Sequence[int], Sequence[int]], said: tuple[Said, Said]
) -> str:
    unmatched = [
        f"in the {side} problem {_told(graph, some, about)}"
        for side, graph, some, about in zip(_SIDES, graphs, vertices, said, strict=True)
        if some
    ]
    return f"without a partner: {'; '.join(unmatched)}"


def _unlike_headers(said: tuple[Said, Said]) -> str:
    texts = [_over(about, ()) or "none" for about in said]
    return f"facts without objects: {texts[0]} in the first problem, {texts[1]} in the second"


def _told(graph: Graph, vertices: Sequence[int], said: Said) -> str:
    """The objects or, if there is none, the atoms behind vertices, with what is said of them."""
    count = len(graph.objects)
    objects = [graph.objects[v] for v in vertices if v < count]
    places = list(dict.fromkeys(graph.atoms[v - count] for v in vertices if v >= count))
    if objects:
        named = [f"{name} ({_about(said, name) or 'of which nothing is said'})" for name in objects[:_NAMED]]
    else:
        named = [_over(said, place) for place in places[:_NAMED]]
    more = (len(objects) or len(places)) - len(named)
    return ", ".join([*named, *([f"and {more} more"] if more else [])])


def _about(said: Said, name: str) -> str:
    """What is said of an object."""
    return _atoms(said, lambda atom: name in atom[1:])


def _over(said: Said, arguments: tuple[str, ...]) -> str:
    """What is said of exactly these objects in this order."""
    return _atoms(said, lambda atom: atom[1:] == arguments)


def _atoms(said: Said, chosen: Callable[[GroundAtom], bool]) -> str:
    """The chosen atoms as PDDL, behind `init:` and `goal:`."""
    shown: dict[str, list[str]] = {"init": [], "goal": []}
    for mark, atoms in said:
        scene = "init" if mark == INIT else "goal"
        shown[scene] += [show_signed(a, mark != GOAL_NEGATED) for a in sorted(atoms) if chosen(a)]
    return "; ".join(f"{scene}: {' '.join(texts)}" for scene, texts in shown.items() if texts)
