"""What every command shares: how its output and the process itself end well.

A program that `python -m experiments.NAME` starts prints to whatever the user's terminal or pipe is, and may
be asked to end at any moment. A character that the output's encoding does not have is printed as a
replacement. A reader that closes the pipe (`| head`) does not end the command: what is computed is worth more
than what is printed, so the command goes on to its end, says so once on the error stream, and its exit code
is that of the work. Only the standard library is used, as some commands must run where packages are missing.

Ctrl-C and SIGTERM: the first ends the run in good order, a second ctrl-C ends it now. `timeout`, a batch
system or a job server sends SIGTERM, often twice within a moment (once to the process and once to its group),
so a further SIGTERM changes nothing while the run is ending; what must end at once is ended by ctrl-C again,
or by SIGKILL.
"""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, NoReturn, TextIO, cast

EXIT_INTERRUPTED = 130
#: The signals by which a user or a machine asks a run to end.
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)


#: Flags under their former names, which work for one release.
RENAMED = {"--ideal": "--gold", "--person-alone": "--human-alone"}


def renamed_flags(arguments: Sequence[str], names: Mapping[str, str] = RENAMED) -> list[str]:
    """The arguments with each flag under its name of today; a former name gets a line on the error stream."""
    for old in names.keys() & set(arguments):
        print(f"warning: {old} is {names[old]} now; it works until the next release", file=sys.stderr)
    return [names.get(argument, argument) for argument in arguments]


def run_command(main: Callable[[], int | None]) -> NoReturn:
    """Run `main` as the whole of this process and exit with its code, None being 0.

    The handlers of signals stay to the very end: a late one finds neither the default, which would kill, nor
    Python's, which would print a traceback.
    """
    lasting_output()
    stop = Stop(lambda: None)
    install(stop)
    code: int | None = EXIT_INTERRUPTED
    try:
        code = main()
    except KeyboardInterrupt:
        print("error: stopped", file=sys.stderr)
    finally:  # also if an option parser exits
        stop.ending()
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
    sys.exit(code)


def lasting_output() -> None:
    """Make this process's output and error stream such that printing to them cannot fail. May be repeated."""
    sys.stdout = _lasting(sys.stdout, "nobody reads the output any more; the command goes on to its end")
    sys.stderr = _lasting(sys.stderr, None)


def _lasting(stream: TextIO | None, notice: str | None) -> TextIO:
    if stream is None:  # started without one, as by pythonw
        return open(os.devnull, "w", encoding="utf-8")
    if isinstance(stream, _Lasting):
        return stream
    if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
        stream.reconfigure(errors="replace")
    return cast(TextIO, _Lasting(stream, notice))


class _Lasting:
    """A text stream that outlives its reader: once that is gone, what is written is dropped."""

    def __init__(self, stream: TextIO, notice: str | None):
        self._stream, self._notice = stream, notice

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write `text`, or drop it if nobody reads any more; its length."""
        try:
            return self._stream.write(text)
        except BrokenPipeError:
            self._drop()
            return len(text)

    def writelines(self, lines: Any) -> None:
        """Write each of `lines`."""
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Hand what was written to the operating system, or drop it."""
        try:
            self._stream.flush()
        except BrokenPipeError:
            self._drop()

    def _drop(self) -> None:
        """From here on the stream leads nowhere, also what it still holds and what children print."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)
        if self._notice is not None:
            print(f"warning: {self._notice}", file=sys.stderr)


class Stop:
    """The handler of the stop signals; it knows whether the process was asked to end already."""

    def __init__(self, on_first: Callable[[], None]):
        self._asked = False
        self._on_first = on_first

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """The first signal calls `on_first` and raises KeyboardInterrupt; a later ctrl-C ends the process."""
        if not self._asked:
            self._asked = True
            self._on_first()
            raise KeyboardInterrupt
        if number == signal.SIGINT:
            os._exit(EXIT_INTERRUPTED)

    def ending(self) -> None:
        """From here on the process ends by itself; a signal raises nothing any more."""
        self._asked = True

    @contextmanager
    def calling(self, on_first: Callable[[], None]) -> Iterator[None]:
        """Inside, the first signal calls `on_first` instead."""
        before, self._on_first = self._on_first, on_first
        try:
            yield
        finally:
            self._on_first = before


@contextmanager
def interruptible(on_first: Callable[[], None]) -> Iterator[None]:
    """Inside, the first stop signal calls `on_first` and raises KeyboardInterrupt.

    Later ones raise nothing: SIGTERM is ignored, ctrl-C ends the process with `EXIT_INTERRUPTED`; whatever
    is appended and flushed by then is kept. Afterwards the handlers are those that were found, be that a
    function, the default or "ignored"; where one `Stop` is in place for the whole process, it stays and calls
    `on_first`. In a thread that is not the main one nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    current = signal.getsignal(signal.SIGINT)
    if isinstance(current, Stop):
        with current.calling(on_first):
            yield
        return
    found = install(Stop(on_first))
    try:
        yield
    finally:
        for number, before in found.items():
            signal.signal(number, before)


def install(stop: Stop) -> dict[int, Any]:
    """Have `stop` handle the stop signals; the handlers that it replaces, by signal.

    A handler that is not Python's (None) could not be put back and is left where it is.
    """
    found = {number: signal.getsignal(number) for number in STOP_SIGNALS}
    ours = {int(number): before for number, before in found.items() if before is not None}
    for number in ours:
        signal.signal(number, stop)
    return ours
