"""How often a simulated language model errs, and how well it corrects: the profiles, and a user's own.

A rate is a probability per literal, action, answer and so on, as its field says; every draw is independent of
all others. docs/simulated.md lists the profiles.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any

from agents.llm.keys import digest
from experiments.config import ConfigError, pick
from experiments.runs.marks import SIMULATED, is_simulated


@dataclass(frozen=True)
class Rates:
    """Probabilities from 0 to 1. All 0 is a model that is right at once."""

    truncate: float = 0.0  #: per answer: it is cut off at the token limit
    repeat: float = (
        0.0  #: per answer after the first of a conversation: the last answer once more, to the letter
    )
    garble: float = 0.0  #: per answer with PDDL: a parenthesis is missing, so that it does not parse
    forget: float = 0.0  #: per literal of the domain: left out
    swap: float = 0.0  #: per literal that may be of other variables: two are swapped, or one is replaced
    miss: float = 0.0  #: per action: nothing is said of it
    mistype: float = 0.0  #: per domain: one predicate is declared with a wrong type
    misstate: float = 0.0  #: per problem: one initial fact is missing, or is about another object
    misstep: float = 0.0  #: per step of a plan: left out
    fix: float = 0.0  #: per answer to a failure: what it reports is fixed (p)
    harm: float = 0.0  #: per answer to a failure: something else becomes wrong (q)
    follow: float = 0.0  #: per answer to a failure that recommends changes: one of them is made (r)

    def __post_init__(self) -> None:
        """Raises ValueError, naming the rate, if one is not a number from 0 to 1. 1 and 1.0 are one rate."""
        for name, value in asdict(self).items():
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
                raise ValueError(f"{name} must be a number from 0 to 1, not {value!r}")
            object.__setattr__(self, name, float(value))


#: The profiles that come with the project.
PROFILES: Mapping[str, Rates] = MappingProxyType(
    {
        "weak": Rates(
            truncate=0.02, repeat=0.10, garble=0.05, forget=0.08, swap=0.08, miss=0.03, mistype=0.05,
            misstate=0.30, misstep=0.15, fix=0.35, harm=0.20, follow=0.50,
        ),
        "medium": Rates(
            truncate=0.01, repeat=0.05, garble=0.02, forget=0.04, swap=0.04, miss=0.01, mistype=0.02,
            misstate=0.15, misstep=0.06, fix=0.60, harm=0.10, follow=0.75,
        ),
        "strong": Rates(
            truncate=0.0, repeat=0.01, garble=0.005, forget=0.01, swap=0.01, miss=0.0, mistype=0.005,
            misstate=0.04, misstep=0.02, fix=0.85, harm=0.03, follow=0.90,
        ),
    }
)  # fmt: skip


@dataclass(frozen=True)
class Named:
    """Rates with the name that requests, records and titles give the model."""

    label: str  #: `simulated:weak`; of a file its stem and the digest of its rates, `simulated:mine-3f9a0c12`
    rates: Rates


def model_label(model: str | None) -> str | None:
    """The model's name; a simulated one's says which rates it has. Raises ConfigError, see `named`."""
    return named(model).label if model and is_simulated(model) else model


def named(model: str) -> Named:
    """The rates that `--model` names: `simulated:weak`, or `simulated:` and a file, see `read_rates`.

    Raises ConfigError if there is no such profile or file, or if the file cannot be used.
    """
    name = model.removeprefix(SIMULATED)
    path = Path(name)
    if name in PROFILES:
        return Named(model, PROFILES[name])
    if path.suffix not in (".json", ".toml") and not path.is_file():
        pick("simulated model", name, (*PROFILES, "FILE.json", "FILE.toml"))
    rates = read_rates(path)
    return Named(f"{SIMULATED}{path.stem}-{digest(asdict(rates))[:8]}", rates)


def read_rates(path: Path) -> Rates:
    """The rates in a TOML (`.toml`) or JSON file: an object of fields of `Rates`; what is not named is 0.

    Raises ConfigError, with the file and what is wrong in it.
    """
    try:
        text = path.read_text(encoding="utf-8")
        data: Any = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
    except (OSError, ValueError) as error:
        raise ConfigError(f"the rates of --model {SIMULATED}{path} cannot be read: {error}") from error
    if not isinstance(data, dict):
        raise ConfigError(f'{path} must hold an object of rates, such as {{"forget": 0.1}}')
    known = [field.name for field in fields(Rates)]
    try:
        return Rates(**{pick("rate", name, known): value for name, value in data.items()})
    except ValueError as error:  # ConfigError is one
        raise ConfigError(f"{path}: {error}") from error
