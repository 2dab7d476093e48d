"""A language model behind a journal: answered from it where possible, recorded in it always.

An answer that is empty, refused or withheld is asked for anew, up to `fresh` times, each time with another
seed; every one is a row of the same request and sample. A request that the server refuses for itself is such
a row, too. The last answer is final: the same request later, in this start of a run or another one, is
answered by it, so a run that was resumed ends as one that was not.

A refusal is the request's own if it names the context length or a content filter, or if the same endpoint
answered another request of the run with the same parameters. Where none has been answered yet, a short
conversation of ours is asked, and another one, until one is answered or three different conversations have
been refused; so what becomes of a request depends neither on what else was asked before it nor on the number
of workers. Three different conversations refused and none answered are a setting's fault, which all requests
share: nothing can go on.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any
from weakref import WeakValueDictionary

from .errors import REFUSALS, ErrorKind, LLMError, failed
from .interface import Arrivals, Completion, DescribedModel, Finish, Message, Turns, Usage, in_order
from .journal import Journal
from .keys import call_key, conversation_key, digest, fresh_seed, parameters_key

_log = logging.getLogger(__name__)

#: Asks one short conversation with the parameters in question. Raises LLMError if it is refused, too.
Probe = Callable[[Sequence[Message]], object]
_Reply = Mapping[int, Completion]
#: How often a live model is asked anew for a sample that is empty, refused or withheld.
FRESH_SAMPLES = 3
#: So many different conversations refused, and none answered, are no chance.
MOST_REFUSED = 3
#: What is asked to see whether anything is answered; the system turn only where the refused request has one.
_SYSTEM = "You are a helpful assistant."
_QUESTIONS = ("Reply with the word yes.", "Reply with the word no.", "Reply with the number one.")
_FINISHES: Mapping[ErrorKind, Finish] = {ErrorKind.CONTEXT: Finish.CONTEXT, ErrorKind.FILTERED: Finish.FILTER}


@dataclass(frozen=True)
class CallCounts:
    """What has been asked so far. Tokens are those of samples made, not of samples served."""

    made: int = 0  #: samples the model behind was asked for and gave
    served: int = 0  #: samples the journal gave
    failed: int = 0  #: calls that ended in an error
    not_whole: int = 0  #: samples made that were cut off, refused, filtered or empty, refused requests too
    identical: int = 0  #: requests above temperature 0 whose samples were all the same text
    retries: int = 0  #: requests that were sent again, of calls that failed in the end too
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True)
class _Call:
    """What is asked: the canonical request, and what it was made of."""

    request: Mapping[str, Any]
    messages: Turns
    temperature: float
    seed: int


class JournaledModel:
    """Wraps a model. Thread-safe. `counters` may be read at any time.

    Who wants the samples of a request that somebody else has asked for waits for these, so nothing is paid
    twice: the next to ask finds them in the journal.

    `cache_only`: a sample that is not in the journal raises LLMError(replay_miss), nothing is asked.
    `use_cache=False`: everything is asked anew, and still recorded.
    `fresh`: how often an answer that is empty, refused or withheld is asked for anew.
    `retry_unanswered`: what the journal holds no answer to is asked again, once in the life of this object.
    """

    def __init__(
        self,
        model: DescribedModel,
        journal: Journal,
        *,
        use_cache: bool = True,
        cache_only: bool = False,
        fresh: int = 0,
        retry_unanswered: bool = False,
    ) -> None:
        if cache_only and not use_cache:
            raise ValueError("cache_only needs the cache; drop one of the two settings")
        self._model = model
        self._journal = journal
        self._use_cache = use_cache
        self._cache_only = cache_only
        self._fresh = fresh
        self._retry_unanswered = retry_unanswered
        self._retried: set[str] = set()  # keys of calls
        self._refusals = _Refusals(journal)
        self._lock = threading.Lock()
        self._turns: WeakValueDictionary[str, threading.Lock] = WeakValueDictionary()
        self._counters = CallCounts()

    @property
    def counters(self) -> CallCounts:
        """The counts so far."""
        return self._counters

    def request(self, messages: Turns, temperature: float, seed: int) -> Mapping[str, Any]:
        """The canonical request of the model behind."""
        return self._model.request(messages, temperature, seed)

    def sample(self, messages: Turns, k: int, temperature: float, seed: int) -> tuple[Completion, ...]:
        """Exactly `k` completions; only those that the journal lacks are asked for."""
        return tuple(self.stream(messages, range(k), temperature, seed))

    def stream(
        self, messages: Turns, samples: Sequence[int], temperature: float, seed: int
    ) -> Iterator[Completion]:
        """The completions of these samples. All missing ones are asked for at once, on disk as they come."""
        call = _Call(self.request(messages, temperature, seed), messages, temperature, seed)
        with self._turn(digest(call.request)):
            yield from self._stream(call, samples)

    def _turn(self, request: str) -> threading.Lock:
        """The lock of a request, which lasts as long as somebody holds or awaits it."""
        with self._lock:
            fresh = threading.Lock()
            return self._turns.setdefault(request, fresh)

    def _stream(self, call: _Call, samples: Sequence[int]) -> Iterator[Completion]:
        found = {i: self._known(call.request, i) for i in samples} if self._use_cache else {}
        missing = [i for i in samples if found.get(i) is None]
        if missing and self._cache_only:
            raise self._miss(missing[0])
        known = {i: completion for i, completion in found.items() if completion is not None}
        self._count(served=len(known))
        texts = []
        for completion in in_order(samples, chain([known], self._ask(call, missing))):
            texts.append(completion.text)
            yield completion
        if call.temperature > 0 and len(texts) > 1 and len(set(texts)) == 1:
            self._note_sameness(len(texts), call.temperature)

    def _ask(self, call: _Call, missing: Sequence[int]) -> Arrivals:
        """What stands for each missing sample; every reply is on disk as soon as it is there."""
        request = call.request
        given = {i: len(self._journal.unanswered(request, i)) if self._use_cache else 0 for i in missing}
        most = {i: 1 + self._fresh + (n if self._retry_unanswered else 0) for i, n in given.items()}
        if self._retry_unanswered:
            self._retried |= {call_key(request, i) for i in missing}
        left = list(missing)
        while left:
            attempt = min(given[i] for i in left)
            asked = [i for i in left if given[i] == attempt]
            for reply in self._attempt(call, asked, attempt):
                for i in reply:
                    given[i] += 1
                stand = {i: c for i, c in reply.items() if given[i] >= most[i] or not c.may_differ}
                left = [i for i in left if i not in stand]
                yield stand
            if any(given[i] == attempt for i in asked):
                return  # the model left one out and raised nothing; `in_order` raises then

    def _attempt(self, call: _Call, samples: Sequence[int], attempt: int) -> Arrivals:
        """Every reply to these samples, or what stands for them if the server refuses the request.

        Asked anew they are the first samples of a request with a seed of its own.
        """
        places = range(len(samples)) if attempt else samples
        names = dict(zip(places, samples, strict=True))
        seed = fresh_seed(call.seed, attempt)
        left = list(samples)
        try:
            for reply in self._model.arrivals(call.messages, places, call.temperature, seed):
                named = {names[place]: completion for place, completion in reply.items()}
                left = [index for index in left if index not in named]
                yield self._record(call.request, named)
        except LLMError as error:
            yield self._record(call.request, self._refused(call, error, left))

    def _refused(self, call: _Call, error: LLMError, left: Sequence[int]) -> _Reply:
        """What stands for the samples that have not arrived, if the request itself is refused.

        Raises `error` otherwise; it is that of the first sample that has not arrived.
        """
        try:
            if error.kind not in REFUSALS:
                raise error
            stands = self._refusals.judge(call.request, error, partial(self._probe, call.temperature))
        except LLMError as final:
            self._count(failed=1, retries=max(final.failure.attempts - 1, 0))
            self._journal.record_failure(call.request, left[0], final.failure)
            raise
        return dict.fromkeys(left, stands)

    def _probe(self, temperature: float, messages: Turns) -> None:
        """Ask a conversation for its own sake; its answer is on disk like any other. Raises LLMError."""
        request = self.request(messages, temperature, 0)
        if self._journal.find(request, 0) is None:
            for reply in self._model.arrivals(messages, [0], temperature, 0):
                self._record(request, reply)

    def _known(self, request: Mapping[str, Any], sample: int) -> Completion | None:
        """What stands for a sample: its answer, or that there is none after all that may be asked."""
        answer = self._journal.find(request, sample)
        if answer is not None:
            return answer
        given = self._journal.unanswered(request, sample)
        if not given or (self._retry_unanswered and call_key(request, sample) not in self._retried):
            return None
        return given[-1] if len(given) > self._fresh or not given[-1].may_differ else None

    def _record(self, request: Mapping[str, Any], reply: _Reply) -> _Reply:
        stand, given = self._journal.record(request, reply), reply.values()
        self._count(
            made=sum(not c.note for c in given),
            not_whole=sum(not c.whole for c in given),
            retries=sum(c.retries for c in given),
            usage=sum((c.usage for c in given), Usage()),
        )
        return stand if self._use_cache else reply

    def _note_sameness(self, samples: int, temperature: float) -> None:
        if self._count(identical=1).identical == 1:  # said once; the counter tells how often
            what = "all %d samples of a request at temperature %g are the same text"
            _log.warning(what, samples, temperature)

    def _miss(self, sample: int) -> LLMError:
        return failed(
            ErrorKind.REPLAY_MISS,
            f"{self._journal.path} holds no answer for sample {sample} of this request, and no call may be "
            "made; run once without the cache-only setting to record it",
        )

    def _count(self, **more: Any) -> CallCounts:
        """Add to the counters; returns them as they are then."""
        with self._lock:
            now = self._counters
            self._counters = replace(now, **{name: getattr(now, name) + by for name, by in more.items()})
            return self._counters


def _was_answered(journal: Journal, parameters: str) -> bool:
    """Whether the journal holds a server's answer to a request with these parameters."""
    return any(
        parameters_key(call.request) == parameters
        for call in journal.calls()
        if call.completion is not None and not call.completion.note
    )


class _Refusals:
    """What has been answered and refused, by parameters. Thread-safe."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._lock = threading.Lock()
        self._answered: set[str] = set()
        self._refused: dict[str, set[str]] = {}

    def judge(self, request: Mapping[str, Any], error: LLMError, probe: Probe) -> Completion:
        """What stands for a refused request that is to blame itself; `probe` may be asked.

        Raises `error` with what is known besides if a setting is to blame, or what the probe raises.
        """
        key = parameters_key(request)
        with self._lock:  # one at a time: what one finds out the next one knows
            refused = self._refused.setdefault(key, set())
            refused.add(conversation_key(request["messages"], None))
            named = error.kind is not ErrorKind.BAD_REQUEST
            if not self._knows(key) and not (named and len(refused) < MOST_REFUSED):
                self._find_out(key, refused, request, error, probe)
        return Completion("", _FINISHES.get(error.kind, Finish.REJECTED), note=error.failure.message)

    def _knows(self, key: str) -> bool:
        """Whether a request with these parameters was answered."""
        if key not in self._answered and _was_answered(self._journal, key):
            self._answered.add(key)
        return key in self._answered

    def _find_out(
        self, key: str, refused: set[str], request: Mapping[str, Any], error: LLMError, probe: Probe
    ) -> None:
        """Ask until something is answered. Raises as `judge`."""
        for question in _QUESTIONS:
            conversation = _like(request, question)
            asked = conversation_key([{"role": m.role, "content": m.content} for m in conversation], None)
            if asked in refused:
                continue
            try:
                probe(conversation)
            except LLMError as other:
                if other.failure.kind not in (ErrorKind.BAD_REQUEST, *_FINISHES):
                    raise
                refused.add(asked)
            else:
                return
            if len(refused) >= MOST_REFUSED:
                break
        failure = error.failure
        words = (
            f"{failure.message}; {len(refused)} different conversations were refused, and none was answered"
        )
        raise LLMError(replace(failure, kind=ErrorKind.BAD_REQUEST, message=words))


def _like(request: Mapping[str, Any], question: str) -> tuple[Message, ...]:
    """A short conversation that begins in the roles of a refused one."""
    roles = [message["role"] for message in request["messages"][:1]]
    system = (Message("system", _SYSTEM),) if roles == ["system"] else ()
    return (*system, Message("user", question))
