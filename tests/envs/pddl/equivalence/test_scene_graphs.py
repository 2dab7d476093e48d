"""Canonical forms of scene graphs agree with trying every bijection; hard graphs run into the deadline."""

from itertools import combinations, permutations, product

import numpy as np
import pytest

from envs.pddl.equivalence.deadline import Deadline, OutOfTime
from envs.pddl.equivalence.graphs import canonical
from envs.pddl.equivalence.graphs.canonical import bijection, canonical_form
from envs.pddl.equivalence.graphs.refinement import refined, surplus
from envs.pddl.equivalence.graphs.scenes import draw, with_static_marks

ARITY = {"p": 1, "q": 0, "r": 2, "s": 2, "t": 3}


def drawn(objects, scenes):
    return draw(dict(objects), [(mark, frozenset(atoms)) for mark, atoms in scenes.items()])


def form(objects, scenes):
    return canonical_form(drawn(objects, scenes), Deadline(None))


def random_scene(rng):
    names = [f"o{i}" for i in range(rng.integers(1, 6))]
    objects = [(name, str(rng.choice(["ball", "room"], p=[0.8, 0.2]))) for name in names]
    scenes = {mark: set() for mark in "ig"}
    for _ in range(rng.integers(1, 8)):
        name = str(rng.choice(list(ARITY)))
        arguments = rng.choice(names, ARITY[name]).tolist()
        scenes[str(rng.choice(["i", "g"]))].add((name, *arguments))
    return objects, scenes


def mapped(objects, scenes, names):
    return (
        [(names[name], kind) for name, kind in objects],
        {mark: {(a[0], *(names[x] for x in a[1:])) for a in atoms} for mark, atoms in scenes.items()},
    )


def isomorphic(one, other):
    """By trying every bijection."""
    names = [name for name, _ in one[0]]
    for image in permutations([name for name, _ in other[0]]):
        objects, scenes = mapped(*one, dict(zip(names, image, strict=True)))
        if sorted(objects) == sorted(other[0]) and scenes == other[1]:
            return True
    return False


def changed(rng, objects, scenes):
    """The same under other names, and often with one atom exchanged."""
    names = [name for name, _ in objects]
    objects, scenes = mapped(objects, scenes, dict(zip(names, rng.permutation(names).tolist(), strict=True)))
    mark = str(rng.choice(["i", "g"]))
    if scenes[mark] and rng.random() < 0.7:
        atom = sorted(scenes[mark])[int(rng.integers(len(scenes[mark])))]
        scenes[mark] = scenes[mark] - {atom} | {(atom[0], *rng.choice(names, len(atom) - 1).tolist())}
    return objects, scenes


@pytest.mark.parametrize("small", [canonical.SMALL, 0], ids=["whole", "cut into pieces"])
def test_forms_are_equal_iff_some_bijection_maps_one_scene_onto_the_other(small, monkeypatch):
    monkeypatch.setattr(canonical, "SMALL", small)
    # a piece that is small for the test's sake alone needs no child
    monkeypatch.setattr(canonical, "_ask_child", lambda piece, colours, _: labelled_here(piece, colours))
    rng = np.random.default_rng(0)
    seen = []
    for _ in range(300):
        one = random_scene(rng)
        other = changed(rng, *one)
        same = isomorphic(one, other)
        forms = form(*one), form(*other)
        assert (forms[0].digest == forms[1].digest) == same
        if same:
            assert mapped(*one, bijection(*forms))[1] == other[1]
        seen.append(same)
    assert 60 < sum(seen) < 240


def labelled_here(piece, colours):
    return canonical.labelling.canonical_labelling(len(colours), piece.edges, colours)


def test_places_of_arguments_count():
    objects = [("a", "ball"), ("b", "ball")]
    assert form(objects, {"i": {("r", "a", "b"), ("p", "a")}}) != form(
        objects, {"i": {("r", "b", "a"), ("p", "a")}}
    )


def test_the_scene_of_an_atom_counts():
    objects = [("a", "ball")]
    assert form(objects, {"i": {("p", "a")}}).digest != form(objects, {"g": {("p", "a")}}).digest
    assert form(objects, {"i": {("q",)}}).digest != form(objects, {"g": {("q",)}}).digest


def test_static_marks_tell_objects_apart():
    kinds = with_static_marks(
        {"a": "object", "b": "object"}, [("ball", "a"), ("next", "a", "b"), ("red", "a")]
    )
    assert kinds == {"a": "object&ball&red", "b": "object"}


def test_refinement_never_tells_equal_graphs_apart():
    rng = np.random.default_rng(1)
    for _ in range(50):
        one = random_scene(rng)
        names = [name for name, _ in one[0]]
        other = mapped(*one, dict(zip(names, rng.permutation(names).tolist(), strict=True)))
        graphs = drawn(*one), drawn(*other)
        classes = [refined(graph.colours, graph.edges) for graph in graphs]
        assert not surplus(*classes) and not surplus(*reversed(classes))


def test_a_cycle_and_two_smaller_ones_are_told_apart():
    def cycles(*lengths):
        starts = np.cumsum((0, *lengths))
        pairs = [(s + i, s + (i + 1) % n) for s, n in zip(starts, lengths, strict=False) for i in range(n)]
        return {"i": {("r", f"o{a}", f"o{b}") for a, b in pairs}}

    for length in (3, 60):  # small, and cut into pieces
        objects = [(f"o{i}", "ball") for i in range(2 * length)]
        one, two = form(objects, cycles(2 * length)), form(objects, cycles(length, length))
        assert one.digest != two.digest


def copies(count):
    """A graph that takes BLISS exponential time: copies of one that colours tell little about, tied together.

    Two twins are tied to everything; one alone would be cut out, and the copies be labelled one by one.
    """
    ring = [(i, (i + 1) % 8) for i in range(8)] + [(i, i + 4) for i in range(4)]  # every node has three edges
    atoms = set()
    for copy, node in product(range(count), range(8)):
        ends = [edge for edge in ring if node in edge]
        for chosen in [(), *combinations(ends, 2)]:
            for edge in ends:
                inner = f"m{copy}-{node}-{chosen}"
                atoms.add(("r", inner, f"e{copy}-{node}-{edge}-{edge in chosen}"))
    for copy, edge, side in product(range(count), ring, (False, True)):
        ends = [f"e{copy}-{node}-{edge}-{side}" for node in edge]
        atoms |= {("r", *ends), ("r", *reversed(ends))}
    names = sorted({name for atom in atoms for name in atom[1:]})
    atoms |= {("s", twin, name) for twin in ("twin0", "twin1") for name in names}
    names += ["twin0", "twin1"]
    return [(name, "ball") for name in names], {"i": atoms}


def test_a_graph_that_takes_too_long_is_out_of_time():
    graph = drawn(*copies(24))
    with pytest.raises(OutOfTime):
        canonical_form(graph, Deadline(0.3))
    with pytest.raises(OutOfTime, match="time for comparing is over"):
        canonical_form(graph, Deadline(0.0))


def test_a_large_piece_is_labelled_by_a_child_as_it_would_be_here():
    graph = drawn(*copies(2))
    assert len(graph.colours) > canonical.SMALL
    assert canonical_form(graph, Deadline(60.0)) == canonical_form(graph, Deadline(None))


def test_forty_interchangeable_objects_come_apart():
    balls = [f"b{i}" for i in range(40)]
    rooms = [("here", "room"), ("there", "room")]
    scenes = {"i": {("r", b, "here") for b in balls}, "g": {("r", b, "there") for b in balls}}
    one = form([(b, "ball") for b in balls] + rooms, scenes)
    other = form([(b, "ball") for b in reversed(balls)] + rooms, scenes)
    assert one.digest == other.digest
    assert bijection(one, other)["here"] == "here"
