"""What AMLGym gives: domains, trajectories and problems; and what is made of them for a comparison."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import numpy as np

from agents.operators.lifted import well_typed
from envs.pddl.language.domain import GroundAtom, read_vocabulary
from envs.pddl.traces.trace import Trace
from envs.pddl.traces.trajectories import import_trajectory, trajectory_text
from experiments.config import ConfigError


@dataclass(frozen=True)
class Benchmark:
    """One domain of AMLGym, as files."""

    name: str
    domain: Path
    trajectories: tuple[Path, ...]
    problems: tuple[Path, ...]  #: to be solved


def benchmarks(names: Sequence[str] = ()) -> list[Benchmark]:
    """The domains with trajectories, by name; all if none are named. Raises ConfigError."""
    try:
        root = Path(str(files("amlgym").joinpath("benchmarks")))
    except ModuleNotFoundError:
        raise ConfigError("amlgym needs its extra: pip install 'groundwalk[amlgym]'") from None
    known = sorted(path.stem for path in (root / "domains").glob("*.pddl"))
    known = [name for name in known if (root / "trajectories" / "learning" / name).is_dir()]
    for name in names:
        if name not in known:
            raise ConfigError(f"--domain {name}: AMLGym has trajectories of {', '.join(known)}")
    return [
        Benchmark(
            name,
            root / "domains" / f"{name}.pddl",
            _numbered(root / "trajectories" / "learning" / name),
            _numbered(root / "problems" / "solving" / name),
        )
        for name in names or known
    ]


def _numbered(folder: Path) -> tuple[Path, ...]:
    paths = (path for path in folder.iterdir() if re.match(r"\d+_", path.name))
    return tuple(sorted(paths, key=lambda path: int(path.name.partition("_")[0])))


def without_rules(domain: str) -> str:
    """The domain with empty preconditions and effects.

    All else stays as it is written, since learners read it by patterns. They are handed this, as some of them
    keep the rules of the domain that they are handed wherever traces do not show otherwise.
    """
    text = re.sub(r";[^\n]*", "", domain)
    kept, last = "", 0
    for match in re.finditer(r":(?:precondition|effect)\s*(?=\()", text, re.IGNORECASE):
        end = _closing(text, match.end())
        kept, last = f"{kept}{text[last : match.end()]}(and)", end
    return kept + text[last:]


def _closing(text: str, at: int) -> int:
    """The place behind the group that begins `at`."""
    depth = 0
    for end, character in enumerate(text[at:], start=at + 1):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if not depth:
            return end
    return len(text)


def degraded(
    benchmark: Benchmark, folder: Path, rng: np.random.Generator, *, hidden: float = 0.0, flipped: float = 0.0
) -> tuple[Path, ...]:
    """The trajectories again, with a share of the observations hidden or flipped, written into a folder.

    Observed are, in each state, the atoms that hold and those over the objects of the actions next to it.
    """
    vocabulary = read_vocabulary(benchmark.domain.read_text(encoding="utf-8"))
    written = []
    for path in benchmark.trajectories:
        (trace,) = import_trajectory(path, vocabulary).traces
        around = [
            {
                (name, *chosen)
                for name, chosen in well_typed({o: trace.objects[o] for o in step.arguments}, vocabulary)
            }
            for step in trace.steps
        ]
        states = []
        for true, near in zip(
            _states(trace), map(set.union, [set(), *around], [*around, set()]), strict=True
        ):
            atoms = sorted(true | near)
            out, turned = rng.random((2, len(atoms)))
            observed = [
                (atom, (atom in true) != turn)
                for atom, drop, turn in zip(atoms, out < hidden, turned < flipped, strict=True)
                if not drop
            ]
            states.append(tuple(_shown(observed, whole=not hidden)))
        written.append(folder / path.name)
        written[-1].write_text(trajectory_text(states, [s.operator for s in trace.steps]), encoding="utf-8")
    return tuple(written)


def _states(trace: Trace) -> Iterator[frozenset[GroundAtom]]:
    """The states of a trajectory in order."""
    assert all(one.after == other.before for one, other in pairwise(trace.steps)), "a trajectory is one walk"
    for number in (trace.steps[0].before, *(step.after for step in trace.steps)):
        assert number is not None, "a trajectory shows every state"
        yield trace.state(number).true


def _shown(observed: Sequence[tuple[GroundAtom, bool]], *, whole: bool) -> Iterator[str]:
    """The literals that a trajectory names."""
    for atom, true in observed:
        if true or not whole:
            text = f"({' '.join(atom)})"
            yield text if true else f"(not {text})"
