"""What jobs print to, and the exit code of an error that ended one."""

from __future__ import annotations

import sys

from rich.console import Console

from agents.llm.errors import ErrorKind, LLMError
from experiments.config import EXIT_CONFIG, EXIT_MACHINE

#: Errors that the user fixes, not time.
_OF_CONFIG = (
    ErrorKind.AUTH, ErrorKind.CONFIG, ErrorKind.REPLAY_MISS, ErrorKind.JOURNAL, ErrorKind.NOT_FOUND,
    ErrorKind.BAD_REQUEST,
)  # fmt: skip


def wide_console() -> Console:
    """The terminal; where there is none, lines that a table fits in."""
    return Console(width=None if sys.stdout.isatty() else 160)


def exit_code_of(error: LLMError) -> int:
    """The exit code for a command that this error ended."""
    return EXIT_CONFIG if error.kind in _OF_CONFIG else EXIT_MACHINE
