"""Canonical labellings of coloured graphs by BLISS, as igraph ships it.

`canonical_labelling` runs in this process and cannot be interrupted. This file is also the program of a
child that can: it reads `{"vertices", "edges", "colours"}` as JSON from its standard input and writes
`{"labels"}`. It imports nothing of ours, so that the child starts quickly, and igraph only where a graph is
made, as that imports matplotlib with it: a second that a command that labels nothing need not wait for.

Source: T. Junttila and P. Kaski, Engineering an efficient canonical labeling tool for large and sparse
graphs, ALENEX 2007.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from functools import cache
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from typing import Any

Edge = tuple[int, int]


def canonical_labelling(vertices: int, edges: Sequence[Edge], colours: Sequence[int]) -> list[int]:
    """The new number of each vertex 0 .. vertices-1 of an undirected graph without parallel edges.

    Two graphs have the same edges and colours under their new numbers iff an isomorphism that keeps colours
    exists. Labellings are only comparable within one version of igraph.
    """
    graph = _graph(vertices, edges)
    labels = [0] * vertices
    for label, vertex in enumerate(graph.canonical_permutation(color=colours)):
        labels[vertex] = label
    return labels


def connected_parts(vertices: int, edges: Sequence[Edge]) -> list[int]:
    """The number of each vertex's connected part."""
    parts: list[int] = _graph(vertices, edges).connected_components()
    return parts


def _graph(vertices: int, edges: Sequence[Edge]) -> Any:
    return _library().GraphBase(vertices, list(edges))


@cache
def _library() -> Any:
    """igraph's C library, without the package around it, which loads matplotlib: that takes seconds."""
    package = find_spec("igraph")
    folders = [] if package is None else list(package.submodule_search_locations or ())
    spec = PathFinder.find_spec("_igraph", folders)
    if spec is None or spec.loader is None:
        raise ImportError("igraph is not installed: pip install igraph")
    library = module_from_spec(spec)
    spec.loader.exec_module(library)
    return library


def main() -> None:
    """Serve one request from standard input."""
    request = json.load(sys.stdin)
    labels = canonical_labelling(request["vertices"], request["edges"], request["colours"])
    json.dump({"labels": labels}, sys.stdout)


if __name__ == "__main__":
    main()
