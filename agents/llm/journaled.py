"""A language model behind a journal: answered from it where possible, recorded in it always."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from .errors import ErrorKind, LLMError, failed
from .interface import Completion, DescribedModel, Message, Usage, in_order
from .journal import Journal
from .keys import digest
from .one_by_one import OneByOne

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Counters:
    """What has been asked so far. Tokens are those of samples made, not of samples served."""

    made: int = 0  #: samples the model behind was asked for and gave
    served: int = 0  #: samples the journal gave
    failed: int = 0  #: calls that ended in an error
    not_whole: int = 0  #: samples made that were cut off, refused, filtered or empty
    identical: int = 0  #: requests above temperature 0 whose samples were all the same text
    retries: int = 0  #: requests that were sent again, of calls that failed in the end too
    usage: Usage = field(default_factory=Usage)


class JournaledModel:
    """Wraps a model. Thread-safe. `counters` may be read at any time.

    Who wants the samples of a request that somebody else has asked for waits for these, so nothing is paid
    twice: the next to ask finds them in the journal.

    `cache_only`: a sample that is not in the journal raises LLMError(replay_miss), nothing is asked.
    `use_cache=False`: everything is asked anew, and still recorded.
    """

    def __init__(
        self, model: DescribedModel, journal: Journal, *, use_cache: bool = True, cache_only: bool = False
    ) -> None:
        if cache_only and not use_cache:
            raise ValueError("cache_only needs the cache; drop one of the two settings")
        self._model = model
        self._journal = journal
        self._use_cache = use_cache
        self._cache_only = cache_only
        self._requests = OneByOne()
        self._lock = threading.Lock()
        self._counters = Counters()

    @property
    def counters(self) -> Counters:
        """The counts so far."""
        return self._counters

    def request(self, messages: Sequence[Message], temperature: float, seed: int) -> Mapping[str, Any]:
        """The canonical request of the model behind."""
        return self._model.request(messages, temperature, seed)

    def sample(
        self, messages: Sequence[Message], k: int, temperature: float, seed: int
    ) -> tuple[Completion, ...]:
        """Exactly `k` completions; only those that the journal lacks are asked for."""
        return tuple(self.stream(messages, range(k), temperature, seed))

    def stream(
        self, messages: Sequence[Message], samples: Sequence[int], temperature: float, seed: int
    ) -> Iterator[Completion]:
        """The completions of these samples. All missing ones are asked for at once, on disk as they come."""
        request = self.request(messages, temperature, seed)
        with self._requests.turn(digest(request)):
            yield from self._stream(request, messages, samples, temperature, seed)

    def _stream(
        self,
        request: Mapping[str, Any],
        messages: Sequence[Message],
        samples: Sequence[int],
        temperature: float,
        seed: int,
    ) -> Iterator[Completion]:
        found = {i: self._journal.find(request, i) for i in samples} if self._use_cache else {}
        missing = [i for i in samples if found.get(i) is None]
        if missing and self._cache_only:
            raise self._miss(missing[0])
        known = {i: completion for i, completion in found.items() if completion is not None}
        self._count(served=len(known))
        fresh = self._ask(request, messages, missing, temperature, seed)
        texts = []
        for completion in in_order(samples, chain([known], fresh)):
            texts.append(completion.text)
            yield completion
        if temperature > 0 and len(texts) > 1 and len(set(texts)) == 1:
            self._note_sameness(len(texts), temperature)

    def _ask(
        self,
        request: Mapping[str, Any],
        messages: Sequence[Message],
        missing: Sequence[int],
        temperature: float,
        seed: int,
    ) -> Iterator[Mapping[int, Completion]]:
        """Every reply to what is missing, on disk as soon as it is there."""
        if not missing:
            return
        arrivals, left = self._model.arrivals(messages, missing, temperature, seed), list(missing)
        while (reply := self._draw(arrivals, request, left)) is not None:
            left = [index for index in left if index not in reply]
            yield self._record(request, reply)

    def _draw(
        self, arrivals: Iterator[Mapping[int, Completion]], request: Mapping[str, Any], left: Sequence[int]
    ) -> Mapping[int, Completion] | None:
        """The next reply, None after the last. An error is that of the first sample that has not arrived."""
        try:
            return next(arrivals, None)
        except LLMError as error:
            self._count(failed=1, retries=error.failure.attempts - 1)
            self._journal.record_failure(request, left[0], error.failure)
            raise

    def _record(
        self, request: Mapping[str, Any], reply: Mapping[int, Completion]
    ) -> Mapping[int, Completion]:
        stand = self._journal.record(request, reply)
        self._count(
            made=len(reply),
            not_whole=sum(not c.whole for c in reply.values()),
            retries=sum(c.retries for c in reply.values()),
            usage=sum((c.usage for c in reply.values()), Usage()),
        )
        return stand if self._use_cache else reply

    def _note_sameness(self, samples: int, temperature: float) -> None:
        if self._count(identical=1).identical == 1:  # said once; the counter tells how often
            _log.warning(
                "all %d samples of a request at temperature %g are the same text", samples, temperature
            )

    def _miss(self, sample: int) -> LLMError:
        return failed(
            ErrorKind.REPLAY_MISS,
            f"{self._journal.path} holds no answer for sample {sample} of this request, and no call may be "
            "made; run once without the cache-only setting to record it",
        )

    def _count(self, **more: Any) -> Counters:
        """Add to the counters; returns them as they are then."""
        with self._lock:
            now = self._counters
            self._counters = replace(now, **{name: getattr(now, name) + by for name, by in more.items()})
            return self._counters
