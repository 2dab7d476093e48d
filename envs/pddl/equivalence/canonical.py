"""Canonical forms of scene graphs: equal for two graphs iff they are isomorphic.

BLISS finds them, which nothing can interrupt and which takes exponential time on some graphs. Those graphs
keep large knots after colour refinement: parts in which many vertices are alike and densely tied to each
other. Interchangeable objects alone do not make one, as they hang on vertices that are told apart; nor does
a forest. Graphs with small knots are labelled in this process; with a larger one, in a child that is ended
at the deadline.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

import numpy as np

from envs.pddl.equivalence import labelling
from envs.pddl.equivalence.refinement import refined
from envs.pddl.equivalence.scenes import Graph
from envs.pddl.process import ChildStatus, run_child

#: Vertices of a knot up to which BLISS takes milliseconds, measured on graphs made to be hard for it.
LARGEST_KNOT = 200
_REPLY_LIMIT = 1 << 27  #: bytes of the child's reply


class OutOfTime(RuntimeError):
    """The deadline came before a canonical form: nothing is known of the problems."""


class LabellingFailed(RuntimeError):
    """The child that labels could not do its work: a fault of the machine or of ours, not of the problems."""


@dataclass(frozen=True)
class Canonical:
    """A graph under its canonical labels."""

    digest: str  #: of everything that an isomorphism keeps
    labels: Mapping[str, int]  #: object → its label


class Deadline:
    """A moment after which nothing new is begun; None: no such moment."""

    def __init__(self, seconds: float | None):
        self._until = None if seconds is None else monotonic() + seconds

    def left(self) -> float | None:
        """Seconds until the deadline, None without one. Raises OutOfTime when it is over."""
        if self._until is None:
            return None
        left = self._until - monotonic()
        if left <= 0:
            raise OutOfTime("the time for comparing is over")
        return left


def canonical_form(graph: Graph, deadline: Deadline) -> Canonical:
    """The canonical form of a graph. Raises OutOfTime, and LabellingFailed if the child cannot run."""
    palette = sorted(set(graph.colours))
    number = {colour: i for i, colour in enumerate(palette)}
    colours = [number[colour] for colour in graph.colours]
    labels = _labels(graph, colours, deadline)
    edges = sorted(sorted((labels[a], labels[b])) for a, b in graph.edges)
    coloured = sorted(zip(labels, colours, strict=True))
    kept = json.dumps([graph.header, palette, [colour for _, colour in coloured], edges])
    digest = hashlib.sha256(kept.encode("utf-8")).hexdigest()
    return Canonical(digest, dict(zip(graph.objects, labels, strict=False)))


def bijection(one: Canonical, other: Canonical) -> dict[str, str]:
    """The objects of one graph mapped to those of an isomorphic one."""
    back = {label: name for name, label in other.labels.items()}
    return {name: back[label] for name, label in one.labels.items()}


def largest_knot(graph: Graph) -> int:
    """Vertices of the largest part, cycles in it, that colour refinement leaves tied together; 0: none.

    Edges to vertices that are alone in their class are cut, as all of a class hang on such a one alike.
    """
    classes = refined(graph)
    _, inverse, counts = np.unique(classes, return_inverse=True, return_counts=True)
    alike = counts[inverse] > 1
    kept = [(a, b) for a, b in graph.edges if alike[a] and alike[b]]
    return labelling.largest_cyclic_part(len(graph.colours), kept) if kept else 0


def _labels(graph: Graph, colours: list[int], deadline: Deadline) -> list[int]:
    left = deadline.left()
    if left is None or len(graph.colours) <= LARGEST_KNOT or largest_knot(graph) <= LARGEST_KNOT:
        return labelling.canonical_labelling(len(graph.colours), graph.edges, colours)
    return _ask_child(graph, colours, left)


def _ask_child(graph: Graph, colours: list[int], wall_s: float) -> list[int]:
    request = {"vertices": len(colours), "edges": graph.edges, "colours": colours}
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
