"""The flags on how models are written action by action: checked, and made part of a plan's episodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from experiments.config import ConfigError
from experiments.recordings import Shelved
from experiments.runs.modelling import Modelling
from experiments.runs.units import Unit

#: Methods that write a model.
_WITH_MODEL = ("plan-advised", "plan-shown", "plan-shown-advised", "plan-by-model")
#: Those of them whose plans are written with the model's own parameters.
_IN_MODEL = ("plan-shown", "plan-shown-advised", "plan-by-model")


def check_modelling(modelling: Modelling, methods: Sequence[str], *, with_plan: bool) -> None:
    """Raises ConfigError if a flag means nothing for one of `methods`.

    `with_plan`: a person says that a plan works, which is written with the environment's parameters.
    """
    if modelling.strips_only:
        _check_uses("--strips-only", "is about the model that a method writes", methods, _WITH_MODEL)
    if modelling.free_parameters:
        needs = "needs plans that are written with the model's own parameters"
        _check_uses("--free-parameters", needs, methods, _IN_MODEL)
        if with_plan:
            raise ConfigError(
                "--plan-that-works is written with the environment's parameters, and with --free-parameters "
                "the model has its own; leave one of the two out"
            )


def modelled(units: Sequence[Unit], modelling: Modelling) -> tuple[Unit, ...]:
    """The units with a model that is written this way."""
    return tuple(replace(unit, modelling=modelling) for unit in units)


def written_so(shelf: Sequence[Shelved], modelling: Modelling) -> tuple[Shelved, ...]:
    """The recordings as far as their models were written this way. Raises ConfigError if there is none."""
    found = []
    for recording in shelf:
        covers = tuple(replace(c, modelling=None) for c in recording.covers if c.modelling == modelling)
        found += [replace(recording, covers=covers)] if covers else []
    if not found:
        raise ConfigError(
            f"{modelling}: no recording has a model that was written so. Run live with --model or "
            "--base-url, or name a run with the same flags by --recording"
        )
    return tuple(found)


def _check_uses(flag: str, why: str, methods: Sequence[str], using: Sequence[str]) -> None:
    others = [method for method in methods if method not in using]
    if others:
        raise ConfigError(
            f"{flag} {why}, so it means nothing for {', '.join(others)}; name others with --method: "
            f"{', '.join(using)}"
        )
