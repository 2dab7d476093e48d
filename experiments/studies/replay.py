"""`python -m experiments.run replay RUN`: do a finished run again from its journal, and compare results.

Every prompt is made anew, every answer is looked up in the run's own `calls.sqlite`, every candidate is
evaluated and every plan is carried out again; no server is asked. `results.csv` has to come out the same,
byte for byte. That, not a seed, is what is meant by a run that can be reproduced.

Exit codes: 0 equal, 1 different, and those of the main job.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any

import msgspec
import tyro

from agents.llm.keys import Profile
from envs.pddl.scratch import scratch_folder
from experiments.config import EXIT_UNANSWERED, ConfigError, MachineFlags, RunConfig, parse_job, shared
from experiments.driver.preflight import texts_of_worlds
from experiments.driver.run_plan import RunPlan
from experiments.recordings import Cover, Shelved, covers_of
from experiments.reporting.display import wide_console
from experiments.reporting.faults import internal_errors
from experiments.run import run
from experiments.runs.directory import RunDirectory, RunUnreadable
from experiments.runs.ledger import Ledger
from experiments.runs.units import Unit

EXIT_DIFFERENT = 1
#: Differing lines that are shown.
_SHOWN = 5


@dataclass(frozen=True, kw_only=True)
class ReplayConfig(MachineFlags):
    """Do a finished run again from its own answers, offline, and compare its results byte by byte."""

    run: tyro.conf.Positional[Path]
    """The run directory."""
    out: Path | None = None
    """Where to do it, and keep what comes out: no run yet; default: a folder that is removed again."""


def main(arguments: Sequence[str]) -> int:
    """Replay the run of a command line; returns the exit code."""
    config = parse_job(ReplayConfig, "replay", arguments)
    console = wide_console()
    original = RunDirectory(config.run)
    before = _results(original)
    resolving = partial(replayed, original)
    with _folder(config.out) as out:
        used = original.path / "prompts"
        machine = RunConfig(
            **{**shared(config, RunConfig), "out": out}, prompts=used if used.is_dir() else None
        )
        code = run(machine, console, resolving)
        if code and not _only_unanswered(code, RunDirectory(out)):
            return code
        after = _results(RunDirectory(out))
    if before == after:
        lines = before.count("\n") - 1
        console.print(f"equal: results.csv of {config.run} came out the same, {lines} tasks", soft_wrap=True)
        return 0
    console.print(f"different: results.csv of {config.run} did not come out the same", soft_wrap=True)
    for line in differing_lines(before, after):
        console.print(line, markup=False, soft_wrap=True)
    return EXIT_DIFFERENT


def replayed(original: RunDirectory, config: RunConfig, shelf: Sequence[Shelved]) -> RunPlan:
    """The plan of a finished run, to be answered by its journal; packaged recordings do not count.

    Raises ConfigError if the run is not finished or its environments are not what they were, RunUnreadable
    if its files do not say enough.
    """
    settings, origin = original.config(), original.provenance()
    try:
        profiles = {name: Profile.of(request) for name, request in origin.get("profiles", {}).items()}
        units = tuple(
            unit for cover in covers_of(origin) for unit in _units(cover, settings, tuple(profiles))
        )
    except (KeyError, TypeError, ValueError) as error:
        raise RunUnreadable(
            f"{original.path}: config.json does not name a run's episodes: {error!r}"
        ) from error
    there = len(Ledger(original).episodes)
    if there < len(units):
        raise ConfigError(
            f"{original.path} has finished {there} of its {len(units)} episodes; finish it first, with the "
            "command that it was begun with"
        )
    recordings = {unit.answers: original.journal_path for unit in units}
    out = config.out or original.path
    plan = RunPlan(config, "recorded", out, units, recordings, profiles=profiles)
    changed = [key for key, now in texts_of_worlds(plan).items() if settings.get(key, now) != now]
    if changed:
        names = ", ".join(key.removesuffix(".texts") for key in changed)
        raise ConfigError(f"{names}: not the same environment as when {original.path} was made")
    return plan


def _units(cover: Cover, settings: Mapping[str, Any], answering: Sequence[str]) -> Iterator[Unit]:
    """The units of a cover, as the run's settings name them. Raises msgspec.ValidationError."""
    prefix = f"{cover.env}.{cover.condition}."
    named = {key.removeprefix(prefix): value for key, value in settings.items() if key.startswith(prefix)}
    first = {"env": cover.env, "method": cover.method, "answers": answering[0] if answering else ""}
    for seed in cover.seeds:
        yield msgspec.convert({**first, **named, "seed": seed}, Unit)


def _only_unanswered(code: int, directory: RunDirectory) -> bool:
    """Whether an exit code says only that episodes were not answered, which is a result like others."""
    ledger = Ledger(directory) if code == EXIT_UNANSWERED else None
    return ledger is not None and not ledger.faults and not internal_errors(ledger)


def differing_lines(before: str, after: str) -> list[str]:
    """The first lines that differ, each as it was and as it is now, after their number."""
    pairs = enumerate(zip_longest(before.splitlines(), after.splitlines(), fillvalue="(no line)"), start=1)
    found = [(number, was, now) for number, (was, now) in pairs if was != now]
    shown = [
        line for number, was, now in found[:_SHOWN] for line in (f"{number} - {was}", f"{number} + {now}")
    ]
    return shown + ([f"and {len(found) - _SHOWN} more lines"] if len(found) > _SHOWN else [])


def _results(directory: RunDirectory) -> str:
    for name in ("results.csv", "config.json"):
        if not (directory.path / name).exists():
            raise ConfigError(f"{directory.path} is not a run directory: it has no {name}")
    return (directory.path / "results.csv").read_bytes().decode("utf-8")


@contextmanager
def _folder(out: Path | None) -> Iterator[Path]:
    """`out`, or a folder for as long as it is needed. Raises ConfigError if there is a run in it."""
    if out is not None:
        if RunDirectory(out).config_path.exists():
            raise ConfigError(f"--out {out} holds a run; give another folder, as everything is done anew")
        yield out
        return
    with scratch_folder() as scratch:
        yield Path(scratch) / "run"
