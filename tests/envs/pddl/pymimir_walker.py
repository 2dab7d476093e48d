"""The program of a child that walks problems with pymimir, an independent simulator.

It reads `{name: [domain text, problem text, walk]}` as JSON and writes one JSON line a problem: its name, and
per state of the walk the digests of the applicable operators and of the fluent atoms, or the words in which
pymimir refused it. A child, because
pymimir ends the whole process on some inputs.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path


def digest(texts: Iterable[str]) -> str:
    """The same for equal sets of texts, and only for them."""
    return hashlib.sha256("\n".join(sorted(texts)).encode()).hexdigest()


def walk_with_pymimir(folder: Path, domain: str, problem: str, walk: list[str]) -> list[tuple[str, str]]:
    """Digests of operators and atoms before each operator of `walk` and after the last."""
    import pymimir

    (folder / "domain.pddl").write_text(domain, encoding="utf-8")
    (folder / "problem.pddl").write_text(problem, encoding="utf-8")
    task = pymimir.Problem(pymimir.Domain(folder / "domain.pddl"), folder / "problem.pddl")
    state, seen = task.get_initial_state(), []
    for operator in [*walk, None]:
        actions = {
            _joined(a.get_action().get_name(), a.get_objects()): a
            for a in state.generate_applicable_actions()
        }
        atoms = [
            _joined(a.get_predicate().get_name(), a.get_terms())
            for a in state.get_atoms(ignore_static=True, ignore_derived=True)
        ]
        seen.append((digest(actions), digest(atoms)))
        if operator is not None:
            state = actions[operator].apply(state)
    return seen


def _joined(name: str, objects: Iterable[object]) -> str:
    return f"({' '.join((name, *(o.get_name() for o in objects)))})"


if __name__ == "__main__":
    for name, texts in json.load(sys.stdin).items():
        with tempfile.TemporaryDirectory() as folder:
            try:
                seen: object = walk_with_pymimir(Path(folder), *texts)
            except (RuntimeError, KeyError) as error:
                seen = f"pymimir refuses: {error}"
            print(json.dumps([name, seen]), flush=True)
