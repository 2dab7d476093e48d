"""The two places where a run spends: asking the language model, and evaluating on the executor.

`CappedModel` stands between the journal and the model, so an answer that is known costs nothing. A live model
counts each request as it is sent (`counting_requests`), answered or not, as only it knows of those.
`CappedExecutor` stands before the executor; evaluations that the ledger knows do not come here.

`Meter` counts what one task or one search asks for, so that every record can say what it cost. What counts is
what the asking takes by itself, asked before or not: methods share calls through the journal, and one that
finds some samples of a request there asks for the others in a second one, with a prompt of its own. Were that
counted, a method's cost, and what a budget of tokens buys, would depend on who came first.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from agents.llm.client import OpenAIModel
from agents.llm.interface import (
    Completion,
    DescribedModel,
    LanguageModel,
    Message,
    Usage,
    charged,
    most_prompt_tokens,
)
from agents.llm.journal import Journal
from experiments.driver.engine import ExecutorInUse
from experiments.runs.details import Built
from experiments.runs.ledger import Ledger
from experiments.runs.records import Spent
from experiments.runs.units import Unit
from experiments.spending.caps import Amount, Budget, Price, Prices
from search.executors import Executor

T = TypeVar("T")


@dataclass(frozen=True)
class CappedModel(DescribedModel):
    """Asks `model` only for what fits into the budget. Raises BudgetReached; thread-safe."""

    model: DescribedModel
    budget: Budget
    price: Price | None
    max_tokens: int  #: of one completion
    calls: int = 1  #: what a sample counts for; 0 where the model counts its requests itself

    def request(self, messages: Sequence[Message], temperature: float, seed: int) -> Mapping[str, Any]:
        """The canonical request of the model behind."""
        return self.model.request(messages, temperature, seed)

    def arrivals(
        self, messages: Sequence[Message], samples: Sequence[int], temperature: float, seed: int
    ) -> Iterator[Mapping[int, Completion]]:
        """The completions with these indices, all of them set aside before the first is asked for.

        Each is set aside with a prompt of its own: a server may make no more than one of a request.
        """
        prompt = most_prompt_tokens(messages)
        most = self._spent_on(Usage(prompt, self.max_tokens))
        left = len(samples)
        with self.budget.reserve(most.times(left)) as reservation:
            for reply in self.model.arrivals(messages, samples, temperature, seed):
                left -= len(reply)
                spent = (self._spent_on(charged(c, prompt)) for c in reply.values())
                reservation.settle(sum(spent, Amount()), most.times(left))
                yield reply

    def _spent_on(self, usage: Usage) -> Amount:
        return replace(spent_on(usage, self.price), calls=self.calls)


class CappedExecutor(ExecutorInUse):
    """Hands calls on to `executor` where the most world queries of one, `most`, fit into the budget.

    `submit` may wait for calls under way and raises BudgetReached. Closing leaves the executor open: it
    belongs to the run.
    """

    def __init__(self, executor: Executor, budget: Budget, most: int):
        super().__init__(executor)
        self._budget = budget
        self._most = Amount(queries=most)

    def submit(self, fn: Callable[..., T], /, *args: Any) -> Future[T]:
        """The executor's future; what it took is known to the budget when it is done."""
        reservation = self._budget.reserve(self._most, by_itself=True)
        with ExitStack() as undo:
            undo.callback(reservation.release)
            future = self._executor.submit(fn, *args)
            undo.pop_all()

        def settle(done: Future[T]) -> None:
            reservation.settle(Amount(queries=_queries(done)))
            reservation.release()

        future.add_done_callback(settle)
        return future


def counting_requests(model: OpenAIModel, budget: Budget, journal: Journal) -> None:
    """From now on `model` asks `budget` before each request that it sends, and has it counted on disk."""

    def before_request() -> None:
        budget.spend(Amount(calls=1))
        journal.note_request()

    model.before_request = before_request


def spent_on(usage: Usage, price: Price | None) -> Amount:
    """One completion."""
    cost = 0.0 if price is None else price.of(usage)
    return Amount(1, usage.prompt_tokens + usage.completion_tokens, cost)


def spent_before(units: Iterable[Unit], ledger: Ledger, journal: Journal, prices: Prices) -> Amount:
    """What earlier starts of a run of these units have spent, by its journal and its records.

    A candidate that was found twice in an episode was evaluated once. A model written action by action has no
    record but its episode's: what walks took for one that was not finished, is asked again and counts then.
    """
    nodes = [node for unit in units for node in ledger.nodes(unit.key)]
    evaluated = {(n.unit, n.key): n.score.world_queries for n in nodes}
    tried = sum(t.score.world_queries for t in ledger.tasks)
    built = sum(e.world_queries for e in ledger.episodes if e.added(Built))
    return calls_before(journal, prices) + Amount(queries=sum(evaluated.values()) + tried + built)


def calls_before(journal: Journal, prices: Prices) -> Amount:
    """What the calls of a journal have cost. Calls are the requests sent; if no server was asked, samples."""
    total = Amount()
    for call in journal.calls():
        if call.completion is not None:
            messages = [Message(m["role"], m["content"]) for m in call.request["messages"]]
            usage = charged(call.completion, most_prompt_tokens(messages))
            total += spent_on(usage, prices.of(call.request["model"]))
    sent = journal.requests_sent
    return total if sent is None else replace(total, calls=sent)


def _queries(done: Future[Any]) -> int:
    """`world_queries` of what a call gave, or of its `score`."""
    if done.cancelled() or done.exception() is not None:
        return 0
    found = done.result()
    return int(getattr(getattr(found, "score", found), "world_queries", 0))


class Meter:
    """Hands everything on to `model` and counts. Thread-safe.

    An answer from the journal counts like a new one, so that a resumed run records the same numbers.
    """

    def __init__(self, model: LanguageModel):
        self._model = model
        self._lock = threading.Lock()
        self.spent = Spent()

    def sample(
        self, messages: Sequence[Message], k: int, temperature: float, seed: int
    ) -> tuple[Completion, ...]:
        """What `model` says, each completion with the usage that it has if all are asked for at once."""
        completions = as_one_request(self._model.sample(messages, k, temperature, seed))
        used = Spent(
            len(completions),
            sum(c.usage.prompt_tokens for c in completions),
            sum(c.usage.completion_tokens for c in completions),
        )
        with self._lock:
            self.spent += used
        return completions


def as_one_request(completions: Sequence[Completion]) -> tuple[Completion, ...]:
    """The samples of a request with its prompt counted on the first alone.

    They stay as they are where each has a prompt of its own: that server makes one sample of a request.
    """
    if all(c.usage.prompt_tokens for c in completions):
        return tuple(completions)
    first, *others = completions
    return (first, *(replace(c, usage=replace(c.usage, prompt_tokens=0)) for c in others))
