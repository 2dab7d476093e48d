"""A real HTTP endpoint on this machine that talks like OpenAI and misbehaves as it is told.

For tests and for trying a run live without a model: replies come from a function or from a recording, and a
list of faults says what goes wrong with the first requests, one fault a request. `StubServer` is a context
manager; `python -m agents.llm.stub --recording FILE --faults rate_limit,drop --ignore-n` runs one until it
is interrupted.
"""

from __future__ import annotations

import argparse
import gzip
import json
import logging
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from .errors import LLMError
from .faults import BODIES, ERRORS, WAITS, Behaviour, Fault, choice_of, error_body
from .interface import Completion, Message
from .keys import conversation_key, sample_seed
from .recording import Recording, load_recording
from .scripted import ReplyFunction

_log = logging.getLogger(__name__)
#: The fault is the answer itself, sent with this status: so many bytes, as they are or compressed.
_LARGE = {Fault.LARGE_ERROR: 500, Fault.LARGE_BODY: 200}
_BOMBS = {Fault.GZIP_BOMB_ERROR: 500, Fault.GZIP_BOMB: 200}


@dataclass
class StubTraffic:
    """What a stub has been asked so far."""

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
        self.seen = StubTraffic()
        self._lock = threading.Lock()
        self._halt = threading.Event()
        self._server = _HTTPServer(("127.0.0.1", port), _Handler)
        self._server.stub = self
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

    def pause(self, seconds: float) -> bool:
        """Wait, but not beyond the end of the server; whether that has come."""
        return self._halt.wait(seconds)

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


class _HTTPServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    stub: StubServer


class _Handler(BaseHTTPRequestHandler):
    """Paths, status codes, and faults of the connection itself."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1  # an answer goes out once its request is no longer counted as in flight
    server: _HTTPServer

    def do_GET(self) -> None:
        """The list of models."""
        if self.path != "/v1/models":
            self._send(404, error_body("not_found", f"no such path: {self.path}"))
        elif (listed := self.server.stub.behaviour.models) is not None:
            self._send(200, listed)
        else:
            self._send(200, {"object": "list", "data": [{"id": self.server.stub.model, "object": "model"}]})

    def do_POST(self) -> None:
        """A chat completion."""
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
        if self.path != "/v1/chat/completions":
            self._send(404, error_body("not_found", f"no such path: {self.path}"))
            return
        with self.server.stub.arrival(body) as fault:
            self._answer(body, fault)

    def _answer(self, body: Mapping[str, Any], fault: Fault) -> None:
        if fault in ERRORS and not (fault is Fault.ONE_CHOICE_ONLY and not body.get("n")):
            self._refuse(fault)
        elif not self._misbehaves(fault, self.server.stub.behaviour):
            try:
                reply = self.server.stub.completion(body, fault)
            except LookupError:
                said = "the stub has no reply for this conversation and seed"
                self._send(400, error_body("no_reply", said))
                return
            self._deliver(BODIES.get(fault) or json.dumps(reply).encode("ascii"), fault)

    def _misbehaves(self, fault: Fault, behaviour: Behaviour) -> bool:
        """Do what is to be done in the place of an answer, or before it; whether that is all."""
        if fault is Fault.HTML_ERROR:
            page = b"<html><body><h1>400 Bad Request</h1></body></html>"
            self._send(400, page, {"Content-Type": "text/html"})
        elif fault is Fault.REDIRECT_LOOP:
            self._send(307, b"", {"Location": self.path})
        elif fault is Fault.ENDLESS_HEADERS:
            self.wfile.write(b"HTTP/1.1 200 OK\r\n")
            self._drip(b"X-More: 1\r\n")
        elif fault in _LARGE:
            self._head(_LARGE[fault], behaviour.large)
            for piece in _zeros(behaviour.large):
                self.wfile.write(piece)
        elif fault in _BOMBS:
            self._send(_BOMBS[fault], _compressed(behaviour.large), {"Content-Encoding": "gzip"})
        else:
            if fault is Fault.STALL:
                self.server.stub.pause(behaviour.stall_s)
            return False
        self.close_connection = True
        return True

    def _deliver(self, data: bytes, fault: Fault) -> None:
        """An answer, or what the fault leaves of it."""
        self.close_connection = fault in (Fault.DROP, Fault.TRUNCATED_BODY, Fault.TRICKLE)
        if fault is Fault.GZIP:
            self._send(200, gzip.compress(data), {"Content-Encoding": "gzip"})
        elif fault is not Fault.DROP:
            self._head(200, len(data))
            if fault is Fault.TRICKLE:
                self._drip(b" ")
            else:
                self.wfile.write(data[: len(data) // 2] if fault is Fault.TRUNCATED_BODY else data)

    def _drip(self, piece: bytes) -> None:
        """The same piece again and again, ten in the time of a stall."""
        stall_s = self.server.stub.behaviour.stall_s
        end = time.monotonic() + 10 * stall_s
        while time.monotonic() < end:
            self.wfile.write(piece)
            self.wfile.flush()
            if self.server.stub.pause(stall_s / 10):
                break

    def _refuse(self, fault: Fault) -> None:
        status, code, message = ERRORS[fault]
        parameter, advice = self.server.stub.behaviour.unsupported
        key = self.headers.get("Authorization", "").removeprefix("Bearer ")
        said = error_body(code, message.format(key=key, parameter=parameter, advice=advice))
        if fault is Fault.UNSUPPORTED_PARAMETER:
            said["error"]["param"] = parameter
        wait = WAITS.get(fault, "").format(self.server.stub.behaviour.retry_after_s)
        self._send(status, said, {"Retry-After": wait} if wait else {})

    def _send(self, status: int, body: object, headers: Mapping[str, str] | None = None) -> None:
        """A whole reply; a body that is not bytes is sent as JSON."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode("ascii")
        self._head(status, len(data), headers)
        self.wfile.write(data)

    def _head(self, status: int, length: int, headers: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        given = {"Content-Type": "application/json", "Content-Length": str(length), **(headers or {})}
        for name, value in given.items():
            self.send_header(name, value)
        self.end_headers()

    def handle(self) -> None:
        """Serve one connection."""
        try:
            super().handle()
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client has gone, as clients with a time limit do

    def log_message(self, format: str, *args: Any) -> None:
        """To the module's logger, not to standard error."""
        _log.debug(format, *args)


def _in_turn(replies: Sequence[str]) -> ReplyFunction:
    return lambda _messages, index, _seed: replies[index % len(replies)]


def _tokens(*texts: str) -> int:
    return sum(len(text) // 4 + 1 for text in texts)


def _zeros(size: int) -> Iterator[bytes]:
    """So many bytes in pieces."""
    piece = bytes(2**16)
    for start in range(0, size, len(piece)):
        yield piece[: size - start]


@lru_cache(maxsize=1)
def _compressed(size: int) -> bytes:
    """So many bytes as gzip."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    return b"".join([*map(packer.compress, _zeros(size)), packer.flush()])


def main(arguments: Sequence[str] | None = None, *, until: Callable[[], object] | None = None) -> None:
    """Serve until interrupted (or until `until` returns)."""
    parser = argparse.ArgumentParser(prog="python -m agents.llm.stub", description=__doc__)
    source = "a recording or a run's calls.sqlite to answer from"
    parser.add_argument("--recording", required=True, help=source)
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
    model = recording.profile.model
    with StubServer(replies_from(recording), behaviour, model=model, port=options.port) as stub:
        _log.info("serving %s on %s; stop with ctrl-C", options.recording, stub.url)
        with suppress(KeyboardInterrupt):
            (until or threading.Event().wait)()
        _log.info("%d requests, %d samples", stub.seen.requests, stub.seen.samples)


if __name__ == "__main__":
    main()
