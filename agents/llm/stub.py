"""A real HTTP endpoint on this machine that talks like OpenAI and misbehaves as it is told.

For tests and for trying a run live without a model: replies come from a function or from a recording, and a
list of faults says what goes wrong with the first requests, one fault a request. `StubServer` is a context
manager; `python -m agents.llm.stub --recording FILE --faults rate_limit,drop --ignore-n` runs one until it
is interrupted.
"""

from __future__ import annotations

import argparse
import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from .errors import LLMError
from .faults import Behaviour, Fault, choice_of
from .interface import Completion, Message
from .keys import conversation_key, sample_seed
from .recording import Recording, load_recording
from .scripted import ReplyFunction
from .stub_http import StubHTTPServer

_log = logging.getLogger(__name__)


@dataclass
class Seen:
    """What a stub has seen so far."""

    bodies: list[Mapping[str, Any]] = field(default_factory=list)  #: of the chat requests, in order
    samples: int = 0  #: choices sent
    in_flight: int = 0
    most_in_flight: int = 0

    @property
    def requests(self) -> int:
        """Chat requests so far."""
        return len(self.bodies)


def replies_from(recording: Recording) -> ReplyFunction:
    """A function that answers from a recording, by messages and seed.

    A sample that is asked for alone is known by its derived seed, so a server that ignores `n` gives the
    same samples. Raises LookupError for a conversation that was not recorded.
    """
    answers: dict[tuple[str, int], Mapping[int, Completion]] = {}
    alone: dict[tuple[str, int], tuple[int, int]] = {}
    for entry in recording.requests:
        asked, seed = conversation_key(entry.request["messages"], None), entry.request["seed"]
        answers[asked, seed] = entry.replies
        alone |= {(asked, sample_seed(seed, i)): (seed, i) for i in entry.replies}

    def reply(messages: Sequence[Message], index: int, seed: int) -> Completion:
        asked = conversation_key([{"role": m.role, "content": m.content} for m in messages], None)
        base, first = alone[asked, seed]
        return answers[asked, base][first + index]

    return reply


class StubServer:
    """An endpoint on 127.0.0.1. Use as a context manager; `url` is its base URL, `seen` what came in."""

    def __init__(
        self,
        replies: ReplyFunction | Sequence[str] = ("ok",),
        behaviour: Behaviour | None = None,
        *,
        model: str = "stub",
        port: int = 0,
    ) -> None:
        self.replies = replies if callable(replies) else _in_turn(replies)
        self.behaviour = behaviour or Behaviour()
        self.model = model
        self.seen = Seen()
        self._lock = threading.Lock()
        self._halt = threading.Event()
        self._server = StubHTTPServer(port, self)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})

    @property
    def url(self) -> str:
        """The base URL."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> StubServer:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._halt.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @contextmanager
    def arrival(self, body: Mapping[str, Any]) -> Iterator[Fault]:
        """Count a chat request while it is being answered; gives its fault."""
        with self._lock:
            number = len(self.seen.bodies)
            self.seen.bodies.append(body)
            self.seen.in_flight += 1
            self.seen.most_in_flight = max(self.seen.most_in_flight, self.seen.in_flight)
        try:
            self.pause(self.behaviour.delay_s)
            faults = self.behaviour.faults
            yield faults[number] if number < len(faults) else self.behaviour.always
        finally:
            with self._lock:
                self.seen.in_flight -= 1

    def pause(self, seconds: float) -> None:
        """Wait, but not beyond the end of the server."""
        self._halt.wait(seconds)

    @property
    def halted(self) -> bool:
        """Whether the server is closing."""
        return self._halt.is_set()

    def completion(self, body: Mapping[str, Any], fault: Fault) -> dict[str, Any]:
        """The body of a chat completion. Raises LookupError if there is no reply for the conversation."""
        messages = [Message(m["role"], m["content"]) for m in body["messages"]]
        count = 1 if self.behaviour.ignore_n else int(body.get("n") or 1)
        indices = [0 if self.behaviour.identical else i for i in range(count)]
        replies = [self.replies(messages, i, int(body.get("seed") or 0)) for i in indices]
        texts = [r.text if isinstance(r, Completion) else r for r in replies]
        with self._lock:
            self.seen.samples += count
        prompt, answer = _tokens(*(m.content for m in messages)), _tokens(*texts)
        prompt = {Fault.CUT_PROMPT: prompt // 4, Fault.FULL_CONTEXT: 4096 - answer}.get(fault, prompt)
        return {
            "id": f"chatcmpl-{self.seen.requests}",
            "object": "chat.completion",
            "created": 0,
            "model": self.model,
            "system_fingerprint": "fp_stub",
            "choices": [choice_of(i, text, fault) for i, text in enumerate(texts)],
            "usage": {"prompt_tokens": prompt, "completion_tokens": answer, "total_tokens": prompt + answer},
        }


def _in_turn(replies: Sequence[str]) -> ReplyFunction:
    return lambda messages, index, seed: replies[index % len(replies)]


def _tokens(*texts: str) -> int:
    return sum(len(text) // 4 + 1 for text in texts)


def main(arguments: Sequence[str] | None = None, *, until: Callable[[], object] | None = None) -> None:
    """Serve until interrupted (or until `until` returns)."""
    parser = argparse.ArgumentParser(prog="python -m agents.llm.stub", description=__doc__)
    parser.add_argument(
        "--recording", required=True, help="a recording or a run's calls.sqlite to answer from"
    )
    parser.add_argument("--port", type=int, default=8400)
    parser.add_argument("--ignore-n", action="store_true", help="give one sample, whatever n is")
    parser.add_argument("--identical", action="store_true", help="give all samples of a request alike")
    parser.add_argument("--faults", default="", help="comma-separated, one a request: " + ", ".join(Fault))
    parser.add_argument("--always", default="none", help="what is wrong with all requests after those")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    try:
        faults, always = [Fault(n) for n in options.faults.split(",") if n], Fault(options.always)
        recording = load_recording(options.recording)
    except (ValueError, LLMError) as error:
        parser.error(str(error))
    behaviour = Behaviour(faults, always, ignore_n=options.ignore_n, identical=options.identical)
    with StubServer(
        replies_from(recording), behaviour, model=recording.profile.model, port=options.port
    ) as stub:
        _log.info("serving %s on %s; stop with ctrl-C", options.recording, stub.url)
        with suppress(KeyboardInterrupt):
            (until or threading.Event().wait)()
        _log.info("%d requests, %d samples", stub.seen.requests, stub.seen.samples)


if __name__ == "__main__":
    main()
