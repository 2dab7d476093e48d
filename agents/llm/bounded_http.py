"""An HTTP client whose requests end: in time, within a size, and after few redirects.

The time limit of a request holds for all of it together, from connecting to the last byte of the body:
HTTP libraries limit only the wait for the next bytes, so a server that sends a header line now and then would
hold a request for ever. When the time is up the connection is shut down, from a thread that only waits for
that. A connection serves one request, so what is shut down is never another one's.

Bodies are asked for uncompressed, read up to a limit and handed over whole. Of an error or a redirect only
the beginning is read: the status says enough.
"""

from __future__ import annotations

import importlib
import socket
import threading
import zlib
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from functools import cache
from typing import TYPE_CHECKING, Any

from .errors import ErrorKind, failed

if TYPE_CHECKING:
    import openai

LARGEST_BODY = 64 * 2**20
#: Of the body of an error or a redirect.
LARGEST_ERROR = 64 * 2**10
MOST_REDIRECTS = 5
#: Headers that are about the body as it was sent, not as it is handed over.
_OF_THE_WIRE = ("content-encoding", "content-length", "transfer-encoding")
#: Window bits with which zlib reads both gzip and deflate.
_ANY_WINDOW = 47


def bounded_client(verify: bool | str) -> openai.DefaultHttpxClient:
    """A client for openai; `verify` is that of TLS certificates. Its requests raise LLMError, too."""
    import openai

    http = http_library(openai.DefaultHttpxClient)

    class BoundedClient(openai.DefaultHttpxClient):
        def send(self, request: Any, *, stream: bool = False, **options: Any) -> Any:
            """The whole response, redirects followed; `stream` makes no difference."""
            options["follow_redirects"] = False
            passed: list[str] = []
            with _Watchdog(request.extensions.get("timeout", {}).get("read")) as watchdog:
                while True:
                    request.headers["Accept-Encoding"] = "identity"
                    request.extensions = {**request.extensions, "trace": watchdog.trace}
                    with closing(super().send(request, stream=True, **options)) as found:
                        data = _read(found)
                    passed.append(str(request.url))
                    if found.next_request is None:
                        kept = [(k, v) for k, v in found.headers.items() if k.lower() not in _OF_THE_WIRE]
                        return http.Response(found.status_code, headers=kept, content=data, request=request)
                    if len(passed) > MOST_REDIRECTS:
                        ways = " -> ".join([*passed, str(found.next_request.url)])
                        what = f"redirected more than {MOST_REDIRECTS} times: {ways}"
                        raise failed(ErrorKind.NOT_FOUND, what)
                    request = found.next_request

    return BoundedClient(verify=_trusted(verify), limits=http.Limits(max_keepalive_connections=0))


@cache
def _trusted(verify: bool | str) -> Any:
    """What the HTTP package takes for `verify`; certificates are read once a process, not once a client."""
    import openai

    return http_library(openai.DefaultHttpxClient).create_ssl_context(verify=verify)


def http_library(client: type) -> Any:
    """The HTTP package below openai, found as that of its client's base class: httpx, or its successor."""
    packages = (base.__module__.partition(".")[0] for base in client.__mro__)
    return importlib.import_module(next(name for name in packages if name != "openai"))


def _read(response: Any) -> bytes:
    """The body, decoded. Raises LLMError(bad_reply) if it is too large or cannot be decoded."""
    answered = response.status_code < 300
    limit = LARGEST_BODY if answered else LARGEST_ERROR
    try:
        decode = _decoder(response.headers.get("content-encoding", ""))
        data, raw = bytearray(), 0
        for chunk in response.iter_raw():
            raw += len(chunk)
            data += decode(chunk, limit + 1 - len(data))
            if max(raw, len(data)) > limit:
                break
    except (zlib.error, LookupError) as error:
        if answered:
            raise failed(ErrorKind.BAD_REPLY, f"the reply cannot be decompressed: {error}") from None
        return b""
    if answered and max(raw, len(data)) > limit:
        raise failed(ErrorKind.BAD_REPLY, f"the reply is larger than {limit:,} bytes")
    return bytes(data[:limit])


def _decoder(encoding: str) -> Callable[[bytes, int], bytes]:
    """What decodes a piece of a body to at most so many bytes. Raises LookupError for an unknown encoding."""
    name = encoding.strip().lower()
    if name in ("", "identity"):
        return lambda chunk, most: chunk
    if name in ("gzip", "x-gzip", "deflate"):
        return zlib.decompressobj(_ANY_WINDOW).decompress
    raise LookupError(f"it is encoded as {name[:50]!r}, and was asked for as it is")


class _Watchdog:
    """Shuts the connections of a request down when its time is up; None is no limit.

    Inside, errors that follow from the time being up are LLMError(timeout).
    """

    def __init__(self, limit_s: float | None) -> None:
        self._lock = threading.Lock()
        self._streams: list[Any] = []
        self._expired = False
        self._timer = threading.Timer(threading.TIMEOUT_MAX if limit_s is None else limit_s, self._expire)
        self._timer.daemon = True

    def trace(self, event: str, info: Mapping[str, Any]) -> None:
        """Hears of each connection as it is made."""
        stream = info.get("return_value")
        if not hasattr(stream, "get_extra_info"):
            return
        with self._lock:
            self._streams.append(stream)
            if self._expired:
                _shut_down(stream)

    def _expire(self) -> None:
        with self._lock:
            self._expired = True
            for stream in self._streams:
                _shut_down(stream)

    def __enter__(self) -> _Watchdog:
        self._timer.start()
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._timer.cancel()
        if self._expired and isinstance(error, Exception):
            raise failed(ErrorKind.TIMEOUT, "no whole answer in time") from None


def _shut_down(stream: Any) -> None:
    """Ends every wait for the stream's bytes at once; closing alone would not."""
    connection = stream.get_extra_info("socket")
    if connection is not None:
        with suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)
