"""The live language model: any OpenAI-compatible chat endpoint.

One request asks for all samples at once; what a server that ignores `n` leaves out is asked for one by one,
each with a seed of its own, so exactly as many samples come back as were asked for. At most
`Endpoint.concurrency` requests of one model object are in flight. Make one object for an endpoint and share
it among threads; it pickles as its settings, and each process opens its own client at the first call.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .answers import completions_of, truncation
from .endpoint import Endpoint
from .errors import ErrorKind, LLMError
from .interface import Completion, DescribedModel, Message
from .keys import sample_seed
from .retry import Notice, RetryLimits, with_retries
from .transport import fault, model_names, open_client, post

if TYPE_CHECKING:
    import openai

_log = logging.getLogger(__name__)
_CHECK_TIMEOUT_S = 15.0


class OpenAIModel(DescribedModel):
    """A LanguageModel behind an HTTP endpoint. Thread-safe, picklable."""

    endpoint: Endpoint
    _opened: openai.OpenAI | None
    _noted: bool
    _refuses_n: bool

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self._open()

    def request(self, messages: Sequence[Message], temperature: float, seed: int) -> dict[str, Any]:
        """The canonical request; sends nothing and needs no key."""
        return self.endpoint.profile.request(messages, temperature, seed)

    def stream(
        self, messages: Sequence[Message], samples: Sequence[int], temperature: float, seed: int
    ) -> Iterator[Completion]:
        """The completions with these indices: one request for all, then one for each that it left out."""
        batch: tuple[Completion, ...] = ()
        if len(samples) > 1 and self.endpoint.use_n and not self._refuses_n:
            batch = self._batch(messages, len(samples), temperature, sample_seed(seed, samples[0]))
            yield from batch
        for index in samples[len(batch) :]:
            yield self._ask(messages, 1, temperature, sample_seed(seed, index))[0]

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

    def close(self) -> None:
        """Close the connections of this process. A later call opens new ones."""
        with self._lock:
            if self._opened is not None:
                self._opened.close()
                self._opened = None

    def _batch(
        self, messages: Sequence[Message], k: int, temperature: float, seed: int
    ) -> tuple[Completion, ...]:
        """Up to `k` completions from one request; none if the server refuses to make several."""
        try:
            batch = self._ask(messages, k, temperature, seed)
        except LLMError as error:
            if error.failure.parameter != "n":
                raise
            self._refuses_n = True
            batch = ()
        if len(batch) < k:
            self._note_shortfall(len(batch), k)
        return batch

    def _ask(
        self, messages: Sequence[Message], n: int, temperature: float, seed: int
    ) -> tuple[Completion, ...]:
        """One request, retried: between 1 and `n` completions. Retries are counted on the first of them."""
        client = self._client()
        arguments = self.endpoint.arguments(messages, temperature, seed, n)

        def attempt(timeout_s: float | None) -> tuple[Completion, ...]:
            start = time.monotonic()
            body = post(client, self.endpoint, arguments, timeout_s)
            elapsed = time.monotonic() - start
            return tuple(replace(c, latency_s=round(elapsed, 3)) for c in self._read(body, messages, n))

        with self._slots:  # kept while waiting for a retry: a server that is busy gets fewer callers
            completions, retries = with_retries(attempt, self._limits(), seed, self._notice)
        return (replace(completions[0], retries=retries), *completions[1:])

    def _read(self, body: object, messages: Sequence[Message], n: int) -> tuple[Completion, ...]:
        try:
            completions = completions_of(body, n)
        except LLMError as error:
            raise fault(self.endpoint, error.kind, error.failure.message) from None
        reason = truncation(messages, completions)
        if reason is None:
            return completions
        if self.endpoint.on_truncated_prompt == "fail":
            raise fault(
                self.endpoint, ErrorKind.TRUNCATED_PROMPT, f"the server seems to cut prompts: {reason}"
            )
        return tuple(replace(c, truncated_prompt=True) for c in completions)

    def _limits(self) -> RetryLimits:
        e = self.endpoint
        return RetryLimits(e.retries, e.total_s, e.timeout_s, e.backoff_s, e.max_wait_s)

    def _note_shortfall(self, got: int, wanted: int) -> None:
        with self._lock:
            first, self._noted = not self._noted, True
        if first:
            _log.warning(
                "%s gave %d of %d samples in one request; the others are asked for one by one",
                self.endpoint.url,
                got,
                wanted,
            )

    def _client(self) -> openai.OpenAI:
        with self._lock:
            if self._opened is None:
                self._opened = open_client(self.endpoint)
            return self._opened

    def _open(self) -> None:
        """What belongs to this process alone."""
        self._lock = threading.Lock()
        self._slots = threading.BoundedSemaphore(self.endpoint.concurrency)
        self._notice = Notice(self.endpoint.url)
        self._opened = None
        self._noted = False
        self._refuses_n = False

    def __getstate__(self) -> dict[str, Any]:
        return {"endpoint": self.endpoint}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.endpoint = state["endpoint"]
        self._open()
