"""Whose fate a refused request is: its own, or that of a setting which all requests share.

A refusal is the request's own if it names the context length or a content filter, or if the same endpoint
answered another request of the run with the same parameters. Where none has been answered yet, a short
conversation of ours is asked, and another one, until one is answered or three different conversations have
been refused; so what becomes of a request depends neither on what else was asked before it nor on the number
of workers. Three different conversations refused and none answered are a setting's fault: nothing can go on.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from .errors import ErrorKind, LLMError
from .interface import Completion, Finish, Message
from .keys import conversation_key, parameters_key

#: So many different conversations refused, and none answered, are no chance.
MOST_REFUSED = 3
#: What is asked to see whether anything is answered; the system turn only where the refused request has one.
_SYSTEM = "You are a helpful assistant."
_QUESTIONS = ("Reply with the word yes.", "Reply with the word no.", "Reply with the number one.")
_FINISHES: Mapping[ErrorKind, Finish] = {ErrorKind.CONTEXT: Finish.CONTEXT, ErrorKind.FILTERED: Finish.FILTER}

#: Asks one short conversation with the parameters in question. Raises LLMError if it is refused, too.
Probe = Callable[[Sequence[Message]], object]


class Refusals:
    """What has been answered and refused, by parameters. Thread-safe.

    `answered_before` says whether the run answered a request with these parameters, by their key.
    """

    def __init__(self, answered_before: Callable[[str], bool]) -> None:
        self._answered_before = answered_before
        self._lock = threading.Lock()
        self._answered: set[str] = set()
        self._refused: dict[str, set[str]] = {}

    def judge(self, request: Mapping[str, Any], error: LLMError, probe: Probe) -> Completion:
        """What stands for a refused request that is to blame itself; `probe` may be asked.

        Raises `error` with what is known besides if a setting is to blame, or what the probe raises.
        """
        key = parameters_key(request)
        with self._lock:  # one at a time: what one finds out the next one knows
            refused = self._refused.setdefault(key, set())
            refused.add(conversation_key(request["messages"], None))
            named = error.kind is not ErrorKind.BAD_REQUEST
            if not self._knows(key) and not (named and len(refused) < MOST_REFUSED):
                self._find_out(key, refused, request, error, probe)
        return Completion("", _FINISHES.get(error.kind, Finish.REJECTED), note=error.failure.message)

    def _knows(self, key: str) -> bool:
        """Whether a request with these parameters was answered."""
        if key not in self._answered and self._answered_before(key):
            self._answered.add(key)
        return key in self._answered

    def _find_out(
        self, key: str, refused: set[str], request: Mapping[str, Any], error: LLMError, probe: Probe
    ) -> None:
        """Ask until something is answered. Raises as `judge`."""
        for question in _QUESTIONS:
            conversation = _like(request, question)
            asked = conversation_key([{"role": m.role, "content": m.content} for m in conversation], None)
            if asked in refused:
                continue
            try:
                probe(conversation)
            except LLMError as other:
                if other.failure.kind not in (ErrorKind.BAD_REQUEST, *_FINISHES):
                    raise
                refused.add(asked)
            else:
                self._answered.add(key)
                return
            if len(refused) >= MOST_REFUSED:
                break
        raise _of_a_setting(error, len(refused))


def _like(request: Mapping[str, Any], question: str) -> tuple[Message, ...]:
    """A short conversation that begins in the roles of a refused one."""
    roles = [message["role"] for message in request["messages"][:1]]
    system = (Message("system", _SYSTEM),) if roles == ["system"] else ()
    return (*system, Message("user", question))


def _of_a_setting(error: LLMError, refused: int) -> LLMError:
    """`error`, with what speaks against a setting."""
    failure = error.failure
    words = f"{failure.message}; {refused} different conversations were refused, and none was answered"
    return LLMError(replace(failure, kind=ErrorKind.BAD_REQUEST, message=words))
