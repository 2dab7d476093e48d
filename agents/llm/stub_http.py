"""The stub endpoint's HTTP side: paths, status codes, and faults of the connection itself."""

from __future__ import annotations

import gzip
import json
import logging
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import lru_cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol

from .faults import ERRORS, Behaviour, Fault, error_body

_log = logging.getLogger(__name__)


class Stub(Protocol):
    """What answers the requests."""

    behaviour: Behaviour
    model: str

    def arrival(self, body: Mapping[str, Any]) -> AbstractContextManager[Fault]:
        """Count a chat request while it is being answered; gives its fault."""
        ...

    def completion(self, body: Mapping[str, Any], fault: Fault) -> dict[str, Any]:
        """The body of a chat completion. Raises LookupError if there is no reply for the conversation."""
        ...

    def pause(self, seconds: float) -> None:
        """Wait, but not beyond the end of the server."""
        ...

    @property
    def halted(self) -> bool:
        """Whether the server is closing."""
        ...


class StubHTTPServer(ThreadingHTTPServer):
    """A threading server on 127.0.0.1 that answers from a stub."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, port: int, stub: Stub) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.stub = stub


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: StubHTTPServer

    def do_GET(self) -> None:
        """The list of models."""
        listed = self.server.stub.behaviour.models
        if self.path == "/v1/models" and listed is not None:
            self._head(200, len(listed))
            self.wfile.write(listed)
        elif self.path == "/v1/models":
            self._send(200, {"object": "list", "data": [{"id": self.server.stub.model, "object": "model"}]})
        else:
            self._send(404, error_body("not_found", f"no such path: {self.path}"))

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
            return
        if fault in _SENT:
            self.close_connection = True
            _SENT[fault](self)
            return
        if fault is Fault.STALL:
            self.server.stub.pause(self.server.stub.behaviour.stall_s)
        try:
            reply = self.server.stub.completion(body, fault)
        except LookupError:
            self._send(400, error_body("no_reply", "the stub has no reply for this conversation and seed"))
            return
        self._deliver(json.dumps(reply).encode("ascii"), fault)

    def _deliver(self, data: bytes, fault: Fault) -> None:
        replaced = {
            Fault.GARBAGE: b'{"choices": [oops',
            Fault.NO_CHOICES: b'{"choices": []}',
            Fault.ERROR_IN_BODY: b'{"error": {"code": 503, "message": "upstream is down"}}',
        }
        data = replaced.get(fault, data)
        self.close_connection = fault in (Fault.DROP, Fault.TRUNCATED_BODY, Fault.TRICKLE)
        if fault is Fault.DROP:
            return
        if fault is Fault.GZIP:
            data = gzip.compress(data)
        self._head(200, len(data), {"Content-Encoding": "gzip"} if fault is Fault.GZIP else None)
        if fault is Fault.TRICKLE:
            self._trickle()
        else:
            self.wfile.write(data[: len(data) // 2] if fault is Fault.TRUNCATED_BODY else data)

    def _html(self) -> None:
        data = b"<html><body><h1>400 Bad Request</h1></body></html>"
        self._head(400, len(data), {"Content-Type": "text/html"})
        self.wfile.write(data)

    def _redirect(self) -> None:
        self._head(307, 0, {"Location": self.path})

    def _endless_headers(self) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\n")
        end = time.monotonic() + 10 * self.server.stub.behaviour.stall_s
        while not self.server.stub.halted and time.monotonic() < end:
            self.wfile.write(b"X-More: 1\r\n")
            self.wfile.flush()
            self.server.stub.pause(self.server.stub.behaviour.stall_s / 10)

    def _large(self, status: int) -> None:
        size = self.server.stub.behaviour.large
        self._head(status, size)
        for piece in _zeros(size):
            self.wfile.write(piece)

    def _bomb(self, status: int) -> None:
        data = _compressed(self.server.stub.behaviour.large)
        self._head(status, len(data), {"Content-Encoding": "gzip"})
        self.wfile.write(data)

    def _trickle(self) -> None:
        end = time.monotonic() + 10 * self.server.stub.behaviour.stall_s
        while not self.server.stub.halted and time.monotonic() < end:
            self.wfile.write(b" ")
            self.wfile.flush()
            self.server.stub.pause(self.server.stub.behaviour.stall_s / 10)

    def _refuse(self, fault: Fault) -> None:
        status, code, message = ERRORS[fault]
        parameter, advice = self.server.stub.behaviour.unsupported
        key = self.headers.get("Authorization", "").removeprefix("Bearer ")
        said = error_body(code, message.format(key=key, parameter=parameter, advice=advice))
        if fault is Fault.UNSUPPORTED_PARAMETER:
            said["error"]["param"] = parameter
        waits = {
            Fault.RATE_LIMIT_RETRY_AFTER: str(self.server.stub.behaviour.retry_after_s),
            Fault.BUSY_NO_WAIT: "0",
            Fault.BUSY_PAST_DATE: "Thu, 01 Jan 1970 00:00:00 GMT",
        }
        self._send(status, said, {"Retry-After": waits[fault]} if fault in waits else {})

    def _send(self, status: int, body: object, headers: Mapping[str, str] | None = None) -> None:
        data = json.dumps(body).encode("ascii")
        self._head(status, len(data), headers or {})
        self.wfile.write(data)

    def _head(self, status: int, length: int, headers: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        given = {"Content-Type": "application/json", "Content-Length": str(length)} | dict(headers or {})
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


#: Faults that are sent in a way of their own, in the place of an answer.
_SENT: Mapping[Fault, Callable[[_Handler], None]] = {
    Fault.HTML_ERROR: _Handler._html,
    Fault.REDIRECT_LOOP: _Handler._redirect,
    Fault.ENDLESS_HEADERS: _Handler._endless_headers,
    Fault.LARGE_ERROR: lambda handler: handler._large(500),
    Fault.LARGE_BODY: lambda handler: handler._large(200),
    Fault.GZIP_BOMB: lambda handler: handler._bomb(200),
    Fault.GZIP_BOMB_ERROR: lambda handler: handler._bomb(500),
}


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
