"""The stub endpoint's HTTP side: paths, status codes, and faults of the connection itself."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
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
        if self.path == "/v1/models":
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
        self._head(200, len(data))
        if fault is Fault.TRICKLE:
            self._trickle()
        else:
            self.wfile.write(data[: len(data) // 2] if fault is Fault.TRUNCATED_BODY else data)

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
        wait = {"Retry-After": str(self.server.stub.behaviour.retry_after_s)}
        self._send(status, said, wait if fault is Fault.RATE_LIMIT_RETRY_AFTER else {})

    def _send(self, status: int, body: object, headers: Mapping[str, str] | None = None) -> None:
        data = json.dumps(body).encode("ascii")
        self._head(status, len(data), headers or {})
        self.wfile.write(data)

    def _head(self, status: int, length: int, headers: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(length))
        for name, value in (headers or {}).items():
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
