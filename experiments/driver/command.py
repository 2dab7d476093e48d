"""What every command shares: how its output and the process itself end well.

A program that `python -m experiments.NAME` starts prints to whatever the user's terminal or pipe is, and may
be asked to end at any moment. A character that the output's encoding does not have is printed as a
replacement. A reader that closes the pipe (`| head`) does not end the command: what is computed is worth more
than what is printed, so the command goes on to its end, says so once on the error stream, and its exit code
is that of the work. Only the standard library is used, as some commands must run where packages are missing.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NoReturn, TextIO, cast

from experiments.driver.interrupt import EXIT_INTERRUPTED, Stop, install


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
