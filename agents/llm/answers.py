"""From the body of a chat completion reply to completions, trusting nothing in it.

A body that is no chat completion raises LLMError(bad_reply). Whatever a model did (stopped, was cut off,
refused, said nothing) is the completion's finish reason. The prompt's tokens are paid once a request, so
they are counted on its first sample; completion tokens are the server's per choice if it says them, else
the total is split evenly with the remainder on the first, so sums are exact.

Reasoning is split off an answer before anything looks for code in it. Servers hand it over in a field of its
own, or inline as `<think>...</think>`. Inline there are three irregular forms: the block never ends (cut off:
all of it is reasoning), it never begins (the opening tag was part of the prompt), or there are several.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from .errors import ErrorKind, LLMError, failed
from .interface import Completion, Finish, Message, Usage

_CUT = frozenset({"length", "max_tokens", "max_length", "model_length"})
_FILTERED = frozenset({"content_filter", "safety"})
_BLANKS = re.compile(r"\s+")
#: Typical tokenizers make one token of about four characters; a longer average is a sign of a cut prompt.
_CHARACTERS_PER_TOKEN = 4
_LEAST_SHARE = 0.7
#: A context that is full to the last token has one of these sizes.
_SMALLEST_LIMIT, _LIMIT_STEP = 1024, 4096


def completions_of(body: object, limit: int) -> tuple[Completion, ...]:
    """At least one and at most `limit` completions, in the order of their choice's index."""
    if not isinstance(body, Mapping):
        raise _bad("its body is no JSON object")
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices or not all(isinstance(c, Mapping) for c in choices):
        raise _bad("it holds no list of choices")
    ordered = sorted(choices, key=lambda choice: _number(choice.get("index")))[:limit]
    usages = _shared(body.get("usage"), ordered)
    return tuple(_completion(c, u, body) for c, u in zip(ordered, usages, strict=True))


def truncation(messages: Sequence[Message], completions: Sequence[Completion]) -> str | None:
    """Why the server seems to have cut the prompt to its context, or None.

    Fewer prompt tokens than 70 % of our own estimate, or a prompt and a single completion that together
    fill a context of a usual size to the last token. An answer that ended by itself did not run into the
    end of a context: such a sum is chance, and asking again would give it again.
    """
    usage = completions[0].usage
    estimate = sum(len(_BLANKS.sub(" ", m.content)) for m in messages) / _CHARACTERS_PER_TOKEN
    if 0 < usage.prompt_tokens < _LEAST_SHARE * estimate:
        return f"it read {usage.prompt_tokens} prompt tokens where about {estimate:.0f} were sent"
    total = usage.prompt_tokens + usage.completion_tokens
    ended = completions[0].finish is Finish.STOP
    if len(completions) == 1 and not ended and usage.prompt_tokens and _is_limit(total):
        return f"prompt and completion together are exactly {total} tokens, the size of a full context"
    return None


def _is_limit(total: int) -> bool:
    return total >= _SMALLEST_LIMIT and (total & (total - 1) == 0 or total % _LIMIT_STEP == 0)


def _completion(choice: Mapping[str, Any], usage: Usage, body: Mapping[str, Any]) -> Completion:
    message = choice.get("message")
    if not isinstance(message, Mapping):
        raise _bad("a choice holds no message")
    text, inline = split_reasoning(_text(message.get("content")))
    given = _text(message.get("reasoning_content")) or _text(message.get("reasoning"))
    refusal = _text(message.get("refusal"))
    return Completion(
        text=text or refusal,
        finish=_finish(choice.get("finish_reason"), text, refusal),
        usage=usage,
        model=_text(body.get("model")),
        reasoning="\n".join(part for part in (given, inline) if part),
        fingerprint=_text(body.get("system_fingerprint")),
    )


def _finish(reason: object, text: str, refusal: str) -> Finish:
    word = reason.lower() if isinstance(reason, str) else ""
    if refusal or word == "refusal":
        return Finish.REFUSAL
    if word in _FILTERED:
        return Finish.FILTER
    if word in _CUT:
        return Finish.LENGTH
    return Finish.STOP if text.strip() else Finish.EMPTY


def _text(value: object) -> str:
    """A string field; a list of content parts joined; anything else is nothing.

    JSON can say half a character (a lone surrogate), which no file can hold; it becomes a question mark.
    """
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, list):
        return "".join(_text(part.get("text")) for part in value if isinstance(part, Mapping))
    return ""


def _shared(usage: object, choices: Sequence[Mapping[str, Any]]) -> list[Usage]:
    said = usage if isinstance(usage, Mapping) else {}
    own = [c.get("usage") for c in choices]
    per_choice = [_number(u.get("completion_tokens")) for u in own if isinstance(u, Mapping)]
    if len(per_choice) != len(choices):
        share, rest = divmod(_number(said.get("completion_tokens")), len(choices))
        per_choice = [share + (rest if i == 0 else 0) for i in range(len(choices))]
    prompt = _number(said.get("prompt_tokens"))
    return [Usage(prompt if i == 0 else 0, tokens) for i, tokens in enumerate(per_choice)]


def _number(value: object) -> int:
    """A count; anything that is none counts as 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _bad(what: str) -> LLMError:
    return failed(ErrorKind.BAD_REPLY, f"the reply is no chat completion: {what}")


_TAG = re.compile(r"<(/?)think(?:ing)?>", re.IGNORECASE)


def split_reasoning(content: str) -> tuple[str, str]:
    """(answer, reasoning), both stripped if there was any reasoning. Linear in the length of the text."""
    tags = list(_TAG.finditer(content))
    if not tags:
        return content, ""
    answer: list[str] = []
    reasoning: list[str] = []
    place, inside = 0, bool(tags[0].group(1))
    for tag in tags:
        (reasoning if inside else answer).append(content[place : tag.start()])
        place, inside = tag.end(), not tag.group(1)
    (reasoning if inside else answer).append(content[place:])
    return "".join(answer).strip(), "\n".join(part.strip() for part in reasoning if part.strip())
