"""Canonical forms of scene graphs: equal for two graphs iff they are isomorphic.

BLISS finds them, which nothing can interrupt and which takes exponential time on some graphs. So a large
graph is cut first. Vertices that colour refinement tells from all others form its frame; what hangs
together without them is a piece, whose vertices also bear which vertices of the frame are next to them.
The frame and the pieces' canonical forms, sorted, are the form of the graph: it can be put together from
them again. Interchangeable objects mostly come apart like this. Pieces that are small, or trees, are
labelled in this process; others in a child that is ended at the deadline.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from envs.pddl.equivalence import labelling
from envs.pddl.equivalence.deadline import Deadline, OutOfTime
from envs.pddl.equivalence.labelling import Edge
from envs.pddl.equivalence.refinement import refined
from envs.pddl.equivalence.scenes import Graph
from envs.pddl.process import ChildStatus, run_child

#: Vertices up to which BLISS takes at most some 20 ms, also on graphs that were made to be hard for it.
SMALL = 200
_REPLY_LIMIT = 1 << 27  #: bytes of the child's reply


class LabellingFailed(RuntimeError):
    """The child that labels could not do its work: a fault of the machine or of ours, not of the problems."""


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
    if len(graph.colours) <= SMALL:
        frame, pieces = _Piece((), (), ()), [_whole(graph)]
    else:
        deadline.left()
        frame, pieces = _cut(graph)
    forms = sorted((_labelled(piece, deadline) for piece in pieces), key=lambda form: form[0])
    order = [*frame.vertices, *(vertex for _, vertices in forms for vertex in vertices)]
    kept = json.dumps([graph.header, frame.colours, frame.edges, [text for text, _ in forms]])
    digest = hashlib.sha256(kept.encode("utf-8")).hexdigest()
    labels = {graph.objects[v]: label for label, v in enumerate(order) if v < len(graph.objects)}
    return Canonical(digest, labels)


def bijection(one: Canonical, other: Canonical) -> dict[str, str]:
    """The objects of one graph mapped to those of an isomorphic one."""
    back = {label: name for name, label in other.labels.items()}
    return {name: back[label] for name, label in sorted(one.labels.items())}


def _whole(graph: Graph) -> _Piece:
    return _Piece(range(len(graph.colours)), graph.edges, graph.colours)


def _cut(graph: Graph) -> tuple[_Piece, list[_Piece]]:
    """The frame, its vertices in the order of their classes, and the pieces."""
    _, first, counts = np.unique(refined(graph), return_index=True, return_counts=True)
    ranked = first[counts == 1].tolist()
    rank = {vertex: i for i, vertex in enumerate(ranked)}
    inner = sorted(sorted((rank[a], rank[b])) for a, b in graph.edges if a in rank and b in rank)
    beside: dict[int, list[int]] = {}
    for a, b in graph.edges:
        for vertex, other in ((a, b), (b, a)):
            if vertex not in rank and other in rank:
                beside.setdefault(vertex, []).append(rank[other])
    frame = _Piece(ranked, [(a, b) for a, b in inner], [graph.colours[v] for v in ranked])
    loose = [v for v in range(len(graph.colours)) if v not in rank]
    colours = {v: f"{graph.colours[v]}|{sorted(beside.get(v, ()))}" for v in loose}
    return frame, _pieces(graph, loose, colours)


def _pieces(graph: Graph, loose: Sequence[int], colours: Mapping[int, str]) -> list[_Piece]:
    """The connected parts of the graph without its frame."""
    tied = [(a, b) for a, b in graph.edges if a in colours and b in colours]
    part = labelling.connected_parts(len(graph.colours), tied)
    vertices: dict[int, list[int]] = {}
    place: dict[int, int] = {}
    for vertex in loose:
        members = vertices.setdefault(part[vertex], [])
        place[vertex] = len(members)
        members.append(vertex)
    edges: dict[int, list[Edge]] = {number: [] for number in vertices}
    for a, b in tied:
        edges[part[a]].append((place[a], place[b]))
    return [_Piece(some, edges[n], [colours[v] for v in some]) for n, some in vertices.items()]


def _labelled(piece: _Piece, deadline: Deadline) -> tuple[str, list[int]]:
    """The canonical form of a piece as text, and its vertices in the order of their labels."""
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
    with tempfile.TemporaryDirectory(prefix="groundwalk-") as folder:
        child = run_child(
            [sys.executable, "-P", str(Path(labelling.__file__).resolve())],
            cwd=folder,
            wall_s=wall_s,
            stdin=json.dumps(request),
            output_limit=_REPLY_LIMIT,
        )
    if child.status is ChildStatus.TIMEOUT:
        raise OutOfTime(f"no canonical form of {len(colours)} vertices was found in {wall_s:.1f} s")
    if not child.succeeded:
        how = f"{child.status} (code {child.returncode})"
        raise LabellingFailed(f"the labelling child ended with {how}: {child.stderr[-500:].strip()}")
    labels: list[int] = json.loads(child.stdout)["labels"]
    return labels
