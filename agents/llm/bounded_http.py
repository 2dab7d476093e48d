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
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from .errors import ErrorKind

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


class WireFault(Exception):
    """A reply that was given up while it was being read."""

    def __init__(self, kind: ErrorKind, what: str) -> None:
        super().__init__(kind, what)
        self.kind = kind
        self.what = what


def bounded_client(verify: bool | str) -> openai.DefaultHttpxClient:
    """A client for openai; `verify` is that of TLS certificates. Its requests raise WireFault, too."""
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
                    with watchdog.watching(), closing(super().send(request, stream=True, **options)) as found:
                        data = _read(found)
                    passed.append(str(request.url))
                    if found.next_request is None:
                        kept = [(k, v) for k, v in found.headers.items() if k.lower() not in _OF_THE_WIRE]
                        return http.Response(found.status_code, headers=kept, content=data, request=request)
                    if len(passed) > MOST_REDIRECTS:
                        ways = " -> ".join([*passed, str(found.next_request.url)])
                        what = f"redirected more than {MOST_REDIRECTS} times: {ways}"
                        raise WireFault(ErrorKind.NOT_FOUND, what)
                    request = found.next_request

    return BoundedClient(verify=verify, limits=http.Limits(max_keepalive_connections=0))


def http_library(client: type) -> Any:
    """The HTTP package below openai, found as that of its client's base class: httpx, or its successor."""
    packages = (base.__module__.partition(".")[0] for base in client.__mro__)
    return importlib.import_module(next(name for name in packages if name != "openai"))


def _read(response: Any) -> bytes:
    """The body, decoded. Raises WireFault(bad_reply) if it is too large or cannot be decoded."""
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
            raise WireFault(ErrorKind.BAD_REPLY, f"the reply cannot be decompressed: {error}") from None
        return b""
    if answered and max(raw, len(data)) > limit:
        raise WireFault(ErrorKind.BAD_REPLY, f"the reply is larger than {limit:,} bytes")
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
    """Shuts the connections of a request down when its time is up. None is no limit."""

    def __init__(self, limit_s: float | None) -> None:
        self._limit_s = limit_s
        self._lock = threading.Lock()
        self._streams: list[Any] = []
        self._expired = False
        self._timer: threading.Timer | None = None

    def __enter__(self) -> Self:
        if self._limit_s is not None:
            self._timer = threading.Timer(self._limit_s, self._expire)
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def trace(self, event: str, info: Mapping[str, Any]) -> None:
        """Hears of each connection as it is made."""
        stream = info.get("return_value")
        if not hasattr(stream, "get_extra_info"):
            return
        with self._lock:
            self._streams.append(stream)
            if self._expired:
                _shut_down(stream)

    def watching(self) -> _Watching:
        """Inside, errors that follow from the time being up are WireFault(timeout)."""
        return _Watching(self)

    @property
    def expired(self) -> bool:
        """Whether the time is up."""
        return self._expired

    def _expire(self) -> None:
        with self._lock:
            self._expired = True
            for stream in self._streams:
                _shut_down(stream)


class _Watching:
    def __init__(self, watchdog: _Watchdog) -> None:
        self._watchdog = watchdog

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, Exception) and self._watchdog.expired:
            raise WireFault(ErrorKind.TIMEOUT, "no whole answer in time") from None


def _shut_down(stream: Any) -> None:
    """Ends every wait for the stream's bytes at once; closing alone would not."""
    connection = stream.get_extra_info("socket")
    if connection is not None:
        with suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)
