"""Canonical forms of scene graphs: equal for two graphs iff they are isomorphic.

BLISS finds them, which nothing can interrupt and which takes exponential time on some graphs. So a large
graph is cut first. Vertices that colour refinement tells from all others form its frame; what hangs
together without them is a piece, whose vertices also bear which vertices of the frame are next to them.
The frame and the pieces' canonical forms, sorted, are the form of the graph: it can be put together from
them again. Large pieces are cut in turn: of two equal towers nothing can be told apart, within each all can.
Interchangeable objects mostly come apart like this. Pieces that are small, or trees, are labelled in this
process; others in a child that is ended at the deadline.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from envs.pddl.equivalence.deadline import Deadline, OutOfTime
from envs.pddl.equivalence.graphs import labelling
from envs.pddl.equivalence.graphs.labelling import Edge
from envs.pddl.equivalence.graphs.refinement import refined, told_apart
from envs.pddl.equivalence.graphs.scenes import Graph
from envs.pddl.process import ChildStatus, run_child

#: Vertices up to which BLISS takes at most some 20 ms, also on graphs that were made to be hard for it.
SMALL = 200
_REPLY_LIMIT = 1 << 27  #: bytes of the child's reply


class LabellingFailed(RuntimeError):
    """The child that labels could not do its work: a fault of the machine or of ours, not of the problems."""

    blame = "machine"


@dataclass(frozen=True)
class Canonical:
    """A graph under its canonical labels."""

    digest: str  #: of everything that an isomorphism keeps
    labels: Mapping[str, int]  #: object → its label


@dataclass(frozen=True)
class _Piece:
    """Part of a graph: its vertices there, and edges between them by their places in `vertices`."""

    vertices: Sequence[int]
    edges: Sequence[Edge]
    colours: Sequence[str]  #: one a vertex


def canonical_form(graph: Graph, deadline: Deadline) -> Canonical:
    """The canonical form of a graph. Raises OutOfTime, and LabellingFailed if the child cannot run."""
    whole = _Piece(range(len(graph.colours)), graph.edges, graph.colours)
    frame, pieces = _Piece((), (), ()), [whole]
    if len(whole.colours) > SMALL:
        deadline.left()
        # only what one refinement tells apart: digests part data sets, so they have to stay what they are
        frame, pieces = _cut(whole, further=False)
    forms, order = _put_together(frame, pieces, deadline)
    digest = _digest([graph.header, frame.colours, frame.edges, forms])
    labels = {graph.objects[v]: label for label, v in enumerate(order) if v < len(graph.objects)}
    return Canonical(digest, labels)


def bijection(one: Canonical, other: Canonical) -> dict[str, str]:
    """The objects of one graph mapped to those of an isomorphic one."""
    back = {label: name for name, label in other.labels.items()}
    return {name: back[label] for name, label in sorted(one.labels.items())}


def _labelled(piece: _Piece, deadline: Deadline) -> tuple[str, list[int]]:
    """The canonical form of a piece as text, and its vertices in the order of their labels."""
    if len(piece.colours) <= SMALL:
        return _by_bliss(piece, deadline)
    deadline.left()
    frame, pieces = _cut(piece, further=True)
    if not frame.vertices and len(pieces) == 1:
        return _by_bliss(piece, deadline)
    forms, order = _put_together(frame, pieces, deadline)
    return _digest([frame.colours, frame.edges, forms]), order


def _put_together(frame: _Piece, pieces: Iterable[_Piece], deadline: Deadline) -> tuple[list[str], list[int]]:
    """The pieces' canonical forms, sorted, and all vertices in the order of their labels."""
    forms = sorted((_labelled(piece, deadline) for piece in pieces), key=lambda form: form[0])
    return [text for text, _ in forms], [*frame.vertices, *(v for _, vertices in forms for v in vertices)]


def _digest(parts: object) -> str:
    return hashlib.sha256(json.dumps(parts).encode("utf-8")).hexdigest()


def _cut(piece: _Piece, *, further: bool) -> tuple[_Piece, list[_Piece]]:
    """The frame, its vertices in the order in which they were told apart, and the pieces.

    With `further`, what the frame's vertices tell from all others in turn is in the frame as well.
    """
    neighbours: list[list[int]] = [[] for _ in piece.colours]
    for a, b in piece.edges:
        neighbours[a].append(b)
        neighbours[b].append(a)
    classes = refined(piece.colours, piece.edges).tolist()
    ranked = told_apart(classes, neighbours if further else ())
    rank = {vertex: i for i, vertex in enumerate(ranked)}
    inner = sorted(sorted((rank[a], rank[b])) for a, b in piece.edges if a in rank and b in rank)
    vertices, colours = [piece.vertices[v] for v in ranked], [piece.colours[v] for v in ranked]
    frame = _Piece(vertices, [(a, b) for a, b in inner], colours)
    loose = {
        v: f"{piece.colours[v]}|{sorted(rank[n] for n in neighbours[v] if n in rank)}"
        for v in range(len(piece.colours))
        if v not in rank
    }
    return frame, _pieces(piece, loose)


def _pieces(piece: _Piece, loose: Mapping[int, str]) -> list[_Piece]:
    """The connected parts of a piece without its frame; `loose` are its other vertices with new colours."""
    tied = [(a, b) for a, b in piece.edges if a in loose and b in loose]
    part = labelling.connected_parts(len(piece.colours), tied)
    members: dict[int, list[int]] = {}
    place: dict[int, int] = {}
    for vertex in loose:
        some = members.setdefault(part[vertex], [])
        place[vertex] = len(some)
        some.append(vertex)
    edges: dict[int, list[Edge]] = {number: [] for number in members}
    for a, b in tied:
        edges[part[a]].append((place[a], place[b]))
    return [
        _Piece([piece.vertices[v] for v in some], edges[n], [loose[v] for v in some])
        for n, some in members.items()
    ]


def _by_bliss(piece: _Piece, deadline: Deadline) -> tuple[str, list[int]]:
    palette = sorted(set(piece.colours))
    number = {colour: i for i, colour in enumerate(palette)}
    colours = [number[colour] for colour in piece.colours]
    labels = _labels(piece, colours, deadline)
    order = sorted(range(len(labels)), key=labels.__getitem__)
    edges = sorted(sorted((labels[a], labels[b])) for a, b in piece.edges)
    text = json.dumps([palette, [colours[i] for i in order], edges])
    return text, [piece.vertices[i] for i in order]


def _labels(piece: _Piece, colours: list[int], deadline: Deadline) -> list[int]:
    if len(colours) == 1:
        return [0]
    left = deadline.left()
    if left is None or len(colours) <= SMALL or len(piece.edges) < len(colours):
        return labelling.canonical_labelling(len(colours), piece.edges, colours)
    return _ask_child(piece, colours, left)


def _ask_child(piece: _Piece, colours: list[int], wall_s: float) -> list[int]:
    request = {"vertices": len(colours), "edges": piece.edges, "colours": colours}
    command = [sys.executable, "-P", str(Path(labelling.__file__).resolve())]
    child = run_child(command, wall_s=wall_s, stdin=json.dumps(request), output_limit=_REPLY_LIMIT)
    if child.status is ChildStatus.TIMEOUT:
        raise OutOfTime(f"no canonical form of {len(colours)} vertices was found in {wall_s:.1f} s")
    if not child.succeeded:
        how = f"{child.status} (code {child.returncode})"
        raise LabellingFailed(f"the labelling child ended with {how}: {child.stderr[-500:].strip()}")
    labels: list[int] = json.loads(child.stdout)["labels"]
    return labels
