"""Turns for what must not be done twice at once: whoever wants the same key waits until it is free."""

from __future__ import annotations

import threading
from weakref import WeakValueDictionary


class OneByOne:
    """A lock for every key, which lasts as long as somebody holds or awaits it. Thread-safe."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._locks: WeakValueDictionary[str, threading.Lock] = WeakValueDictionary()

    def turn(self, key: str) -> threading.Lock:
        """The lock of `key`, to be held while it is that key's turn."""
        with self._guard:
            fresh = threading.Lock()
            return self._locks.setdefault(key, fresh)
