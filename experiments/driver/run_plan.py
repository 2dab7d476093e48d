"""What a run is made of, once all flags are resolved: its episodes, and who answers in each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from agents.llm.keys import Profile
from experiments.config import RunConfig, shared
from experiments.recordings import Cover
from experiments.runs.units import EpisodeSettings, Unit
from experiments.simulated.rates import model_label


@dataclass(frozen=True)
class RunPlan:
    """A resolved configuration: where answers come from, where results go, and the units in order."""

    config: RunConfig
    llm: Literal["recorded", "live"]
    out: Path
    units: tuple[Unit, ...]
    recordings: Mapping[str, Path] = field(default_factory=dict)  #: `Unit.answers` → file, if recorded
    missing: tuple[tuple[str, str], ...] = ()  #: cells, as environment and condition, without any answer
    profiles: Mapping[str, Profile] = field(default_factory=dict)  #: `Unit.answers` → whose calls of a file
    left_out: tuple[str, ...] = ()  #: what was asked for and is left out, with the reason, in words
    published: bool = False  #: whether the figures of the published table stand beside those of the run

    @property
    def has_budgets(self) -> bool:
        """Whether episodes differ in their budgets alone, so that they do the same up to the smaller one."""
        alike = {replace(unit, budget_tokens=None, budget_queries=None) for unit in self.units}
        return len(alike) < len(self.units)

    def asked(self) -> dict[str, list[str]]:
        """The rows and columns of a comparison: environments and conditions in the order of asking."""
        cells = [*((unit.env, unit.condition) for unit in self.units), *self.missing]
        envs = dict.fromkeys([*self.config.env, *(env for env, _ in cells)])
        return {"env": list(envs), "arm": list(dict.fromkeys(condition for _, condition in cells))}

    def science(self) -> dict[str, Any]:
        """What a resumed run must share: flat, in the names of the flags; settings dotted by cell."""
        first: dict[str, Any] = {
            "llm": self.llm,
            "model": model_label(self.config.model),
            "base_url": self.config.base_url,
            "max_tokens": self.config.max_tokens,
        }
        first["seeds"] = sorted({u.seed for u in self.units})
        for unit in self.units:
            data = unit.as_data()
            for name in ("env", "method", "seed"):
                del data[name]
            if self.llm == "live":  # named by the flags already
                del data["answers"]
            first |= {f"{unit.env}.{unit.condition}.{key}": value for key, value in data.items()}
        return first

    def covers(self) -> tuple[Cover, ...]:
        """What a recording of this run would cover."""
        groups: dict[tuple[str, str], list[Unit]] = {}
        for unit in self.units:
            groups.setdefault((unit.env, unit.condition), []).append(unit)
        return tuple(
            Cover(**shared(group[0], EpisodeSettings), seeds=tuple(unit.seed for unit in group))
            for group in groups.values()
        )
