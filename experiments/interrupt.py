"""Ctrl-C: once ends the run in good order, twice ends it now."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

EXIT_INTERRUPTED = 130


@contextmanager
def interruptible(on_first: Callable[[], None]) -> Iterator[None]:
    """Inside, the first interrupt calls `on_first` and raises KeyboardInterrupt; the second ends the process.

    Whatever is appended and flushed by then is kept. In a thread that is not the main one nothing changes.
    """

    def second(number: int, frame: FrameType | None) -> None:
        os._exit(EXIT_INTERRUPTED)

    def first(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, second)
        on_first()
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, first)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
