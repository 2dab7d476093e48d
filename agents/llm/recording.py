"""Recordings: the answers of a run as one sorted text file, and a model that answers from it.

Format: JSON lines, gzipped if the name ends in `.gz`. The first line is `{"recording": 1, "header": {...}}`
(the header is the recorder's: environment, method, seeds, ...); every other line is one canonical request
with its answers by sample index. Equal journals give equal files. Keys are computed when it is read, never
stored, so an edited request is simply another request.

A recording replays the completions of a run, so unlike the cache it also answers with those that were cut
off; of several answers to one sample the first whole one counts, else the last.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .errors import ErrorKind, LLMError, failed
from .interface import Arrivals, Completion, DescribedModel, Turns
from .journal import Journal, completion_from_json, completion_to_json
from .keys import Profile, call_key, canonical, conversation_key, wire_seed

FORMAT = 1


@dataclass(frozen=True)
class RecordedRequest:
    """One request with its answers by sample index."""

    request: Mapping[str, Any]
    replies: Mapping[int, Completion]


@dataclass(frozen=True)
class Recording:
    """A read recording. `name` says in messages where it came from."""

    name: str
    header: Mapping[str, Any]
    requests: tuple[RecordedRequest, ...]

    @property
    def profile(self) -> Profile:
        """The profile of all its requests. Raises LLMError(journal) if there is none, or more than one."""
        profiles = {
            canonical(p.request((), 0.0, 0)): p for p in (Profile.of(r.request) for r in self.requests)
        }
        if len(profiles) != 1:
            raise failed(
                ErrorKind.JOURNAL,
                f"{self.name} holds calls of {len(profiles)} models or settings; a replay needs exactly one",
            )
        return next(iter(profiles.values()))

    @property
    def samples(self) -> int:
        """How many answers it holds."""
        return sum(len(r.replies) for r in self.requests)


def export_jsonl(journal: Journal, path: str | Path, header: Mapping[str, Any]) -> int:
    """Write a journal's answers as a recording; returns their number. Failed calls are left out."""
    requests = _merged(journal)
    lines = [canonical({"recording": FORMAT, "header": dict(header)})]
    for entry in requests:
        replies = {str(i): completion_to_json(c) for i, c in entry.replies.items()}
        lines.append(canonical({"request": entry.request, "replies": replies}))
    data = "".join(f"{line}\n" for line in lines).encode("ascii")
    if str(path).endswith(".gz"):
        data = gzip.compress(data, mtime=0)
    Path(path).write_bytes(data)
    return sum(len(entry.replies) for entry in requests)


def load_recording(path: str | Path) -> Recording:
    """Read a recording: JSON lines, plain or gzipped, or a run's `calls.sqlite` (its header is empty)."""
    path = Path(path)
    try:
        data = path.read_bytes()
        if data.startswith(b"SQLite format 3"):
            with Journal(path, read_only=True) as journal:
                return Recording(str(path), {}, _merged(journal))
        lines = (gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data).decode("utf-8").splitlines()
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise failed(ErrorKind.JOURNAL, f"{path} cannot be read as a recording: {error}") from error
    return _from_lines(path, lines)


def _from_lines(path: Path, lines: Sequence[str]) -> Recording:
    number = 1
    try:
        first = json.loads(lines[0]) if lines else {}
        if first.get("recording") != FORMAT:
            raise ValueError(f"the first line must say that it is a recording of format {FORMAT}")
        requests = []
        for line in lines[1:]:
            number += 1
            entry = json.loads(line)
            replies = {int(i): completion_from_json(reply) for i, reply in entry["replies"].items()}
            requests.append(RecordedRequest(entry["request"], replies))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise failed(ErrorKind.JOURNAL, f"{path}:{number} is not a line of a recording: {error!r}") from error
    return Recording(str(path), first.get("header", {}), tuple(requests))


def _merged(journal: Journal) -> tuple[RecordedRequest, ...]:
    """One entry a request, sorted by the request's text; one answer a sample, sorted by index."""
    entries: dict[str, tuple[Mapping[str, Any], dict[int, Completion]]] = {}
    for call in journal.calls():
        if call.completion is not None:
            _, replies = entries.setdefault(canonical(call.request), (call.request, {}))
            if call.sample not in replies or not replies[call.sample].whole:
                replies[call.sample] = call.completion
    merged = (entries[text] for text in sorted(entries))
    return tuple(RecordedRequest(request, dict(sorted(replies.items()))) for request, replies in merged)


class RecordedModel(DescribedModel):
    """A LanguageModel that knows only what is in a recording. Needs no network, no key and no openai.

    Its requests carry the recording's own profile, so that the same messages, temperature and seed meet
    the same key. Raises LLMError(replay_miss) for anything else. `endpoint` is a label that its requests
    carry instead of the recorded one: two recordings of one model may answer the same request differently,
    and a journal behind both has to keep them apart.
    """

    def __init__(self, recording: Recording, endpoint: str | None = None) -> None:
        self._recording = recording
        own = recording.profile
        self._profile = own if endpoint is None else replace(own, endpoint=endpoint)
        self._answers = {
            call_key(entry.request, index): completion
            for entry in recording.requests
            for index, completion in entry.replies.items()
        }

    def request(self, messages: Turns, temperature: float, seed: int) -> dict[str, Any]:
        """The canonical request under the recording's profile, or its label."""
        return self._profile.request(messages, temperature, seed)

    def arrivals(self, messages: Turns, samples: Sequence[int], temperature: float, seed: int) -> Arrivals:
        """The recorded answers with these indices."""
        request = self._recording.profile.request(messages, temperature, seed)
        for index in samples:
            answer = self._answers.get(call_key(request, index))
            if answer is None:
                raise self._miss(request, index)
            yield {index: answer}

    def _miss(self, request: Mapping[str, Any], sample: int) -> LLMError:
        return failed(
            ErrorKind.REPLAY_MISS,
            f"{self._recording.name} ({self._recording.samples} answers) holds no answer for sample {sample} "
            f"of this request: {_nearest(request, self._recording.requests)}. Use the settings it was "
            "recorded with, or record the call by asking a live model",
        )


def _nearest(request: Mapping[str, Any], recorded: Iterable[RecordedRequest]) -> str:
    """What is nearest to a request that was not found: the place to look at."""
    asked = conversation_key(request["messages"], request["temperature"])
    keys = ((conversation_key(e.request["messages"], e.request["temperature"]), e) for e in recorded)
    same = [entry for key, entry in keys if key == asked]
    for entry in same:
        if entry.request["seed"] == wire_seed(request["seed"]):
            return f"it is there with samples {sorted(entry.replies)} only"
    if same:
        seeds = sorted(entry.request["seed"] for entry in same)
        return f"the same messages are there with seed {seeds[0]}, not {request['seed']}"
    return "no recorded request has these messages at this temperature"
