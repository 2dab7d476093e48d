"""The live language model: any OpenAI-compatible chat endpoint.

One request asks for all samples at once; what a server that ignores `n` leaves out is asked for one by one,
each with a seed of its own, so exactly as many samples come back as were asked for. Up to `Endpoint.fan_out`
of these single requests are in flight at once. At most `Endpoint.concurrency` requests of one model object
are, of all threads together. Make one object for an endpoint and share it among threads; it pickles as its
settings, and each process opens its own client at the first call.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from .answers import completions_of, truncation
from .endpoint import Endpoint
from .errors import ErrorKind, LLMError
from .interface import Arrivals, Completion, DescribedModel, Turns
from .keys import sample_seed
from .retry import Clock, Retries
from .transport import fault, model_names, open_client, post

if TYPE_CHECKING:
    import openai

_log = logging.getLogger(__name__)
T = TypeVar("T")
_CHECK_TIMEOUT_S = 15.0


class OpenAIModel(DescribedModel):
    """A LanguageModel behind an HTTP endpoint. Thread-safe, picklable.

    `before_request` is called before each chat request is sent, those that are sent again too; what it raises
    ends the call. Neither it nor the clock is pickled.
    """

    def __init__(self, endpoint: Endpoint, clock: Clock | None = None) -> None:
        self.endpoint = endpoint
        self.before_request: Callable[[], object] = _nothing
        self._lock = threading.Lock()
        self._slots = threading.BoundedSemaphore(endpoint.concurrency)
        self._retries = Retries(endpoint, clock)
        self._opened: openai.OpenAI | None = None
        self._noted = False
        self._refuses_n = False

    def request(self, messages: Turns, temperature: float, seed: int) -> dict[str, Any]:
        """The canonical request; sends nothing and needs no key."""
        return self.endpoint.profile.request(messages, temperature, seed)

    def arrivals(self, messages: Turns, samples: Sequence[int], temperature: float, seed: int) -> Arrivals:
        """The completions with these indices: one request for all, then one for each that it left out.

        A server that refuses the one request for a reason that it does not say may refuse it for asking for
        several samples, so it is asked one by one before the refusal stands.
        """
        batch: tuple[Completion, ...] = ()
        together = len(samples) > 1 and self.endpoint.use_n and not self._refuses_n
        if together:
            batch = self._batch(messages, len(samples), temperature, sample_seed(seed, samples[0]))
            yield dict(zip(samples, batch, strict=False))  # no strict: it may have left some out

        def alone(index: int) -> Completion:
            return self._ask(messages, 1, temperature, sample_seed(seed, index))[0]

        for index, completion in fan_out(alone, samples[len(batch) :], self.endpoint.fan_out):
            self._refuses_n = self._refuses_n or (together and not batch)  # alone, it is answered
            yield {index: completion}

    def check(self) -> None:
        """Whether calls can work at all, for nothing: a key is there and the server answers. Raises LLMError.

        A server without a list of models passes.
        """
        try:
            self.models()
        except LLMError as error:
            if error.kind not in (ErrorKind.NOT_FOUND, ErrorKind.BAD_REQUEST, ErrorKind.BAD_REPLY):
                raise

    def models(self) -> tuple[str, ...]:
        """The names of the models that the server lists. Raises LLMError; asks once."""
        return model_names(self._client(), self.endpoint, _CHECK_TIMEOUT_S)

    def stop_waiting(self) -> None:
        """From now on a failed request is given up: a run that is ending does not wait for a busy server."""
        self._retries.halt.set()

    def close(self) -> None:
        """Close the connections of this process. A later call opens new ones."""
        with self._lock:
            if self._opened is not None:
                self._opened.close()
                self._opened = None

    def _batch(self, messages: Turns, k: int, temperature: float, seed: int) -> tuple[Completion, ...]:
        """Up to `k` completions from one request; none if it refuses to make several, or may do so."""
        try:
            batch = self._ask(messages, k, temperature, seed)
        except LLMError as error:
            named = error.failure.parameter
            if error.kind is not ErrorKind.BAD_REQUEST or named not in (None, "n"):
                raise
            self._refuses_n = self._refuses_n or named == "n"
            batch = ()
        if len(batch) < k:
            self._note_shortfall(len(batch), k)
        return batch

    def _ask(self, messages: Turns, n: int, temperature: float, seed: int) -> tuple[Completion, ...]:
        """One request, retried: between 1 and `n` completions. Retries are counted on the first of them."""
        client = self._client()
        arguments = self.endpoint.arguments(messages, temperature, seed, n)

        def attempt(timeout_s: float | None) -> tuple[Completion, ...]:
            self.before_request()
            start = time.monotonic()
            body = post(client, self.endpoint, arguments, timeout_s)
            elapsed = time.monotonic() - start
            return tuple(replace(c, latency_s=round(elapsed, 3)) for c in self._read(body, messages, n))

        with self._slots:  # kept while waiting for a retry: a server that is busy gets fewer callers
            completions, retries = self._retries.until_answered(attempt, seed)
        return (replace(completions[0], retries=retries), *completions[1:])

    def _read(self, body: object, messages: Turns, n: int) -> tuple[Completion, ...]:
        try:
            completions = completions_of(body, n)
        except LLMError as error:
            raise fault(self.endpoint, error.kind, error.failure.message) from None
        reason = truncation(messages, completions)
        if reason is None:
            return completions
        if self.endpoint.on_truncated_prompt == "fail":
            what = f"the server seems to cut prompts: {reason}"
            raise fault(self.endpoint, ErrorKind.TRUNCATED_PROMPT, what)
        return tuple(replace(c, truncated_prompt=True) for c in completions)

    def _note_shortfall(self, got: int, wanted: int) -> None:
        with self._lock:
            first, self._noted = not self._noted, True
        if first:
            shortage = f"{self.endpoint.url} gave {got} of {wanted} samples in one request"
            _log.warning("%s; the others are asked for one by one", shortage)

    def _client(self) -> openai.OpenAI:
        with self._lock:
            if self._opened is None:
                self._opened = open_client(self.endpoint)
            return self._opened

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.endpoint,)


def _nothing() -> None:
    """The default of `before_request`."""


def fan_out(call: Callable[[int], T], items: Sequence[int], width: int) -> Iterator[tuple[int, T]]:
    """(item, `call(item)`) of all items, which differ, in the order in which the calls end.

    Calls wait for a server, so they run in threads, at most `width` of them; one that ends makes room for the
    next when the consumer draws again. After a failure nothing new begins, calls under way are waited for and
    handed over, and only then the error of the first item that failed is raised: no result is lost. A
    consumer that stops drawing before the end waits for the calls under way and does not see their results.
    """
    waiting = iter(items)
    failures: dict[int, BaseException] = {}
    with ThreadPoolExecutor(width, thread_name_prefix="fan-out") as pool:
        running: dict[Future[T], int] = {pool.submit(call, item): item for item in islice(waiting, width)}
        while running:
            done = wait(running, return_when=FIRST_COMPLETED).done
            ended = [(running.pop(future), future) for future in [*running] if future in done]
            failures |= {item: error for item, future in ended if (error := future.exception()) is not None}
            if not failures:
                running |= {pool.submit(call, item): item for item in islice(waiting, len(ended))}
            yield from ((item, future.result()) for item, future in ended if item not in failures)
    for item in items:
        if item in failures:
            raise failures[item]
