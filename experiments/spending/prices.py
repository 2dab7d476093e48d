"""What tokens cost: a user's own table, since prices change and no price is built in.

    {"currency": "USD", "MODEL": {"prompt": 2.5, "completion": 10.0}, "*": {"prompt": 0, "completion": 0}}

Prices are for a million tokens; `*` is any model that is not named, `currency` is only shown.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.llm.interface import Usage
from experiments.config import ConfigError

_ANY = "*"
_CURRENCY = "currency"
_MILLION = 1_000_000


@dataclass(frozen=True)
class Price:
    """Of a million tokens, in the currency of the table."""

    prompt: float
    completion: float

    def of(self, usage: Usage) -> float:
        """What so many tokens cost."""
        return (usage.prompt_tokens * self.prompt + usage.completion_tokens * self.completion) / _MILLION


@dataclass(frozen=True)
class Prices:
    """A price for each model that has one."""

    by_model: Mapping[str, Price]
    currency: str = ""

    def of(self, model: str) -> Price | None:
        """The model's price, or that of any model; None if there is none."""
        return self.by_model.get(model, self.by_model.get(_ANY))

    def shown(self, cost: float) -> str:
        """An amount for people: `0.0312 USD`."""
        return f"{cost:.4f} {self.currency}".rstrip()


def read_prices(path: Path) -> Prices:
    """The table in a JSON file. Raises ConfigError that says what is wrong with which entry."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"--prices {path} cannot be read as JSON: {error}") from error
    if not isinstance(data, Mapping):
        raise _bad(path, "the file", data)
    currency = data.get(_CURRENCY, "")
    if not isinstance(currency, str):
        raise ConfigError(f"--prices {path}: {_CURRENCY} must be a word such as USD, not {currency!r}")
    models = {name: _price(path, name, entry) for name, entry in data.items() if name != _CURRENCY}
    return Prices(models, currency)


def _price(path: Path, name: str, entry: Any) -> Price:
    if not isinstance(entry, Mapping) or set(entry) != {"prompt", "completion"}:
        raise _bad(path, repr(name), entry)
    if not all(_is_amount(value) for value in entry.values()):
        raise _bad(path, repr(name), entry)
    return Price(float(entry["prompt"]), float(entry["completion"]))


def _is_amount(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return math.isfinite(value) and value >= 0


def _bad(path: Path, where: str, found: object) -> ConfigError:
    return ConfigError(
        f"--prices {path}: {where} is {json.dumps(found)[:80]}; write "
        '{"MODEL": {"prompt": 2.5, "completion": 10.0}, "currency": "USD"}, for a million tokens each'
    )
