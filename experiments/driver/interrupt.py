"""Ctrl-C and SIGTERM: the first ends the run in good order, a second ctrl-C ends it now.

`timeout`, a batch system or a job server sends SIGTERM, often twice within a moment (once to the process and
once to its group), so a further SIGTERM changes nothing while the run is ending; what must end at once is
ended by ctrl-C again, or by SIGKILL.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

EXIT_INTERRUPTED = 130
#: The signals by which a user or a machine asks a run to end.
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)


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
