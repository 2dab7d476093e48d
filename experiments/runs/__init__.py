"""One run on disk: its directory, records, ledger, units, provenance, progress, seeds, and its data frames.

`directory` writes as things happen, `ledger` reads what a resumed run already knows, `records` are what is
written, and `units` say what an episode's results depend on. `load` gives a run as data frames (`frames`).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from experiments.runs.frames import RunFrames

__all__ = ["load"]


def load(directory: str | Path) -> RunFrames:
    """The run in `directory` as pandas data frames; docs/frames.md lists them.

    A run of the main job or a study, finished, running or killed, of this version or an older one. Nothing is
    written. Raises FileNotFoundError if there is no run, RunUnreadable if it cannot be read.
    """
    from experiments.runs.directory import RunDirectory  # this package is imported for its other modules too
    from experiments.runs.frames import RunFrames
    from experiments.runs.ledger import Ledger

    run = RunDirectory(Path(directory))
    if not run.events_path.exists():
        raise FileNotFoundError(f"{directory} is not a run directory: it has no events.jsonl")
    return RunFrames.of(run, Ledger(run))
