"""Learners from declarations and trajectories to a domain: ours, and those that AMLGym has.

Each takes the path of a domain without rules, paths of trajectories and the share of observations that are
flipped. The published ones write into the folder that they run in, print, and may end the program: `learned`
lets them do so in a folder of their own.
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType

from agents.operators.examples import lifted_atoms
from agents.operators.learner import Bias, learn_operators
from agents.operators.lifted import Operator, domain_of
from envs.pddl.language.domain import read_vocabulary
from envs.pddl.language.vocabulary import Vocabulary
from envs.pddl.traces.trace import Traces
from envs.pddl.traces.trajectories import import_trajectory

Learner = Callable[[Path, Sequence[Path], float], str]


@dataclass(frozen=True)
class Learned:
    """A learned domain, or why there is none."""

    domain: str | None
    seconds: float  #: of processor time, reading included
    failure: str = ""


def groundwalk(domain: Path, paths: Sequence[Path], flipped: float) -> str:
    """Ours, by the default bias, with the actions in the order of the domain.

    An action that never ran needs every atom: the intersection of no states.
    """
    vocabulary = read_vocabulary(domain.read_text(encoding="utf-8"))
    traces = tuple(trace for path in paths for trace in import_trajectory(path, vocabulary).traces)
    found = learn_operators(Traces(vocabulary, traces), Bias.LEAN, noise=flipped)
    named = {operator.name: operator for operator in found}
    operators = [named.get(action) or _never_ran(action, vocabulary) for action in vocabulary.actions]
    return domain_of(vocabulary, operators)


def _never_ran(action: str, vocabulary: Vocabulary) -> Operator:
    parameters = vocabulary.actions[action]
    atoms = (atom for atom in lifted_atoms(vocabulary, parameters) if not atom.names_constants)
    return Operator(action, parameters, tuple(atoms), ())


def _offlam(domain: Path, paths: Sequence[Path], flipped: float) -> str:
    """OffLAM; partial states are handed to it as they are, since AMLGym's adapter would call them whole."""
    if any("(not " in path.read_text(encoding="utf-8") for path in paths):
        from offlam.algorithm import learn

        text: str = learn(str(domain), list(map(str, paths)))
        return text.replace("(:requirements)", "(:requirements :typing)")
    return _by_amlgym("OffLAM", domain, paths)


def _nolam(domain: Path, paths: Sequence[Path], flipped: float) -> str:
    return _by_amlgym("NOLAM", domain, paths, noise=flipped)


def _sam(domain: Path, paths: Sequence[Path], flipped: float) -> str:
    return _by_amlgym("SAM", domain, paths)


def _rosame(domain: Path, paths: Sequence[Path], flipped: float) -> str:
    return _by_amlgym("ROSAME", domain, paths)


def _by_amlgym(name: str, domain: Path, paths: Sequence[Path], **options: float) -> str:
    from amlgym.algorithms import get_algorithm

    return str(get_algorithm(name, **options).learn(str(domain), list(map(str, paths))))


#: Learners by name; what reads no partial states is in `WHOLE_ONLY`.
LEARNERS: Mapping[str, Learner] = MappingProxyType(
    {"groundwalk": groundwalk, "offlam": _offlam, "nolam": _nolam, "sam": _sam, "rosame": _rosame}
)
WHOLE_ONLY = frozenset({"nolam", "sam", "rosame"})


def learned(name: str, domain: Path, paths: Sequence[Path], flipped: float) -> Learned:
    """What a learner makes of trajectories. Whatever a published learner raises is its failure."""
    said = io.StringIO()
    started = time.process_time()
    with TemporaryDirectory() as scratch, chdir(scratch), redirect_stdout(said), redirect_stderr(said):
        try:
            text = LEARNERS[name](domain, paths, flipped)
        except (Exception, SystemExit) as error:  # noqa: BLE001 (other people's programs)
            return Learned(None, time.process_time() - started, f"{type(error).__name__}: {error}"[:200])
    return Learned(text, time.process_time() - started)
