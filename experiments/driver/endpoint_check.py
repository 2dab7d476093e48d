"""What an OpenAI-compatible endpoint can do, found out with three short requests.

Runs work with servers that ignore `n` or `seed` (answers are then asked for one by one, and are repeatable
from the journal alone), so a server that lacks either is reported and is not at fault.
"""

from __future__ import annotations

from agents.llm.answers import completions_of
from agents.llm.client import OpenAIModel
from agents.llm.endpoint import Endpoint
from agents.llm.errors import LLMError
from agents.llm.interface import Message
from agents.llm.transport import open_client, post
from experiments.driver.components import Component, Status

_TIMEOUT_S = 60.0
_SEED = 7
_QUESTION = (Message("user", "Write ten random English words, separated by blanks, and nothing else."),)


def examine(url: str, model: str | None, api_key_env: str) -> tuple[Component, ...]:
    """The endpoint's models, and whether it honours `n` and `seed`; asks `model` or the first one listed."""
    try:
        listed = OpenAIModel(_endpoint(url, model or "any", api_key_env)).models()
    except LLMError as error:
        return (Component("endpoint", Status.BROKEN, detail=str(error)),)
    chosen = model or next(iter(listed), None)
    if chosen is None:
        return (Component("endpoint", Status.MISSING, detail=f"{url} lists no model; name one with --model"),)
    found = Component("endpoint", Status.OK, detail=f"{url} lists {', '.join(listed) or 'no model'}")
    endpoint = _endpoint(url, chosen, api_key_env)
    try:
        return found, _several(endpoint), _repeatable(endpoint)
    except LLMError as error:
        return found, Component("endpoint answers", Status.BROKEN, chosen, str(error))


def _endpoint(url: str, model: str, api_key_env: str) -> Endpoint:
    return Endpoint(model, url, api_key_env=api_key_env, max_tokens=32, timeout_s=_TIMEOUT_S)


def _several(endpoint: Endpoint) -> Component:
    """Whether one request brings several samples. Raises LLMError if it brings none for another reason."""
    try:
        got = len(_ask(endpoint, 2))
    except LLMError as error:
        if error.failure.parameter != "n":
            raise
        return Component("endpoint n", Status.MISSING, endpoint.model, f"refused: {error}", needed=False)
    if got < 2:
        ignored = "ignored: samples are asked for one by one"
        return Component("endpoint n", Status.MISSING, endpoint.model, ignored, needed=False)
    return Component("endpoint n", Status.OK, endpoint.model, "several samples a request", needed=False)


def _repeatable(endpoint: Endpoint) -> Component:
    """Whether one seed gives one answer. Raises LLMError."""
    first, second = (_ask(endpoint, 1)[0] for _ in range(2))
    if first == second:
        return Component("endpoint seed", Status.OK, endpoint.model, "one seed, one answer", needed=False)
    differs = "one seed gave two answers: a run is repeatable from its journal alone"
    return Component("endpoint seed", Status.MISSING, endpoint.model, differs, needed=False)


def _ask(endpoint: Endpoint, n: int) -> list[str]:
    """The texts of one request. Raises LLMError."""
    body = post(open_client(endpoint), endpoint, endpoint.arguments(_QUESTION, 1.0, _SEED, n), _TIMEOUT_S)
    return [completion.text for completion in completions_of(body, n)]
