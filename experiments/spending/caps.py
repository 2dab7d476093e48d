"""Hard caps of a whole run: what may be spent, counted over all threads, episodes and starts of it.

Work is paid for in two steps. Before it is sent out its most is *reserved*; when it comes back it is
*settled* with what it really took. Work that does not fit beside what is under way waits for that to be
settled; if it does not fit even then, the cap is reached: nothing new is sent out from then on, by nobody,
what is under way ends and is kept, and `BudgetReached` ends the run. So no cap is exceeded, except by a
server that counts more tokens than our upper estimate, and by time: what is under way may take as long as
its own limits allow.

Time is that of this start of the run; everything else counts what earlier starts have spent.

What tokens cost is in a user's own table, since prices change and no price is built in:

    {"currency": "USD", "MODEL": {"prompt": 2.5, "completion": 10.0}, "*": {"prompt": 0, "completion": 0}}

Prices are for a million tokens; `*` is any model that is not named, `currency` is only shown.
"""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Self

from agents.llm.interface import Usage
from experiments.config import CapFlags, ConfigError, flag
from experiments.runs.records import Summed

_ANY = "*"
_CURRENCY = "currency"
_MILLION = 1_000_000


class Cap(StrEnum):
    """The caps, by the flags that set them."""

    CALLS = "max_calls"
    TOKENS = "max_tokens_total"
    COST = "max_cost"
    QUERIES = "max_world_queries"
    WALL = "max_wall_s"


@dataclass(frozen=True)
class Amount(Summed):
    """What some work takes, or at most takes."""

    calls: int = 0  #: requests sent to the language model; of a recording, samples
    tokens: int = 0  #: prompts and completions
    cost: float = 0.0  #: in the currency of the price table
    queries: int = 0  #: world queries

    def times(self, number: int) -> Amount:
        """So often this."""
        return Amount(self.calls * number, self.tokens * number, self.cost * number, self.queries * number)

    def of(self, cap: Cap) -> float:
        """The part that a cap is about; 0 for time."""
        parts = {Cap.CALLS: self.calls, Cap.TOKENS: self.tokens, Cap.COST: self.cost}
        return {**parts, Cap.QUERIES: self.queries}.get(cap, 0)


@dataclass(frozen=True)
class Bound(Summed):
    """At most so much: what an episode may ask for, known before it (see `experiments.spending.bounds`)."""

    calls: int = 0  #: samples of the language model
    usage: Usage = field(default_factory=Usage)
    world_queries: int = 0


class BudgetReached(RuntimeError):
    """A cap of the run is reached, which is no error. Survives pickling."""

    def __init__(self, cap: Cap, used: float, allowed: float, wanted: float = 0):
        super().__init__(cap, used, allowed, wanted)
        self.cap = cap
        self.used = used
        self.allowed = allowed
        self.wanted = wanted  #: what the work that did not fit may take; 0 for time

    def __str__(self) -> str:
        more = f", and what comes next may take {self.wanted:,.6g}" if self.wanted else ""
        return (
            f"{flag(self.cap)} is reached: {self.used:,.10g} of {self.allowed:,.10g} used{more}; what was "
            f"found is kept, and the same command with a larger {flag(self.cap)} resumes the run"
        )


class Budget:
    """The caps of a run and what is left of them. Thread-safe; one for a run."""

    def __init__(
        self,
        allowed: Mapping[Cap, float],
        used: Amount | None = None,
        clock: Callable[[], float] = time.monotonic,
    ):
        self._allowed = allowed
        self._used = used or Amount()
        self._clock = clock
        self._started = clock()
        self._changed = threading.Condition()
        self._under_way: list[Reservation] = []
        self._waiting: set[int] = set()  # threads
        self._reached: BudgetReached | None = None

    @property
    def used(self) -> Amount:
        """What has been spent, by earlier starts too; work under way does not count yet."""
        return self._used

    def reserve(self, most: Amount, *, by_itself: bool = False) -> Reservation:
        """Set aside what some work may take; waits where that depends on work under way.

        Work settles `by_itself`, or by the doing of this thread: what threads that wait here would have to
        do is not waited for. Raises BudgetReached if it does not fit, or if any cap was reached before.
        """
        me = threading.get_ident()
        with self._changed:
            while (cap := self._misfit(most)) is not None:
                self._waiting.add(me)
                if not any(r.left.of(cap) and r.owner not in self._waiting for r in self._under_way):
                    self._reached = BudgetReached(cap, self._used.of(cap), self._allowed[cap], most.of(cap))
                    self._changed.notify_all()
                else:
                    self._changed.wait(self._seconds_left())
                self._waiting.discard(me)
            reservation = Reservation(self, most, None if by_itself else me)
            self._under_way.append(reservation)
            return reservation

    def spend(self, used: Amount) -> None:
        """Count what is about to be spent for certain. Raises BudgetReached if it does not fit."""
        with self.reserve(used) as reservation:
            reservation.settle(used)

    def _misfit(self, most: Amount) -> Cap | None:
        """The first cap that `most` does not fit under now. Raises BudgetReached."""
        self._open()
        for cap, allowed in self._allowed.items():
            taken = self._used.of(cap) + sum(r.left.of(cap) for r in self._under_way)
            if most.of(cap) and taken + most.of(cap) > allowed:
                return cap
        return None

    def _open(self) -> None:
        """Raises BudgetReached, a new one for each caller, if a cap was reached or the time is up."""
        left = self._seconds_left()
        if self._reached is None and left == 0:
            allowed = self._allowed[Cap.WALL]
            self._reached = BudgetReached(Cap.WALL, round(self._clock() - self._started), allowed)
        if self._reached is not None:
            raise BudgetReached(*self._reached.args)

    def _seconds_left(self) -> float | None:
        if Cap.WALL not in self._allowed:
            return None
        return max(self._allowed[Cap.WALL] - (self._clock() - self._started), 0.0)

    def settle(self, reservation: Reservation, used: Amount, left: Amount) -> None:
        """A part of the work came back and took `used`; the rest takes `left` at most."""
        with self._changed:
            self._used += used
            reservation.left = left
            self._changed.notify_all()

    def release(self, reservation: Reservation) -> None:
        """Nothing more comes back. Releasing twice is harmless."""
        with self._changed:
            if reservation in self._under_way:
                self._under_way.remove(reservation)
            self._changed.notify_all()


@dataclass(eq=False)
class Reservation:
    """What is set aside for one piece of work. As a context manager it is released at the end."""

    budget: Budget
    left: Amount  #: the most that is still to come
    owner: int | None = None  #: the thread by whose doing it comes; None if it comes by itself

    def settle(self, used: Amount, left: Amount | None = None) -> None:
        """A part came back and took `used`; the rest takes `left` at most, None for nothing."""
        self.budget.settle(self, used, left or Amount())

    def release(self) -> None:
        """Nothing more comes back."""
        self.budget.release(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def caps_of(flags: CapFlags) -> dict[Cap, float]:
    """The caps that the flags set."""
    found = {cap: getattr(flags, cap.value, None) for cap in Cap}
    return {cap: value for cap, value in found.items() if value is not None}


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
    if not all(map(_is_amount, entry.values())):
        raise _bad(path, repr(name), entry)
    return Price(float(entry["prompt"]), float(entry["completion"]))


def _is_amount(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf


def _bad(path: Path, where: str, found: object) -> ConfigError:
    return ConfigError(
        f"--prices {path}: {where} is {json.dumps(found)[:80]}; write "
        '{"MODEL": {"prompt": 2.5, "completion": 10.0}, "currency": "USD"}, for a million tokens each'
    )
