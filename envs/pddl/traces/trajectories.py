"""Trajectories in files, in the layout of AMLGym: states and the actions between them, as S-expressions.

    (:trajectory
    (:state (on a b) (clear a) (handempty))
    (:action (unstack a b))
    (:state (holding a) (clear b)))

States and actions take turns; all that is tried is executed. A state is whole, unless some state of its file
names a negated atom, `(not (clear b))`: then all of them are partial, and what they do not name is unknown.
`:observation`, as OffLAM and NOLAM write it, may stand for `:trajectory`. The vocabulary comes from a domain.

A file does not name objects. An object has the most general types that fit every place where it stands, in
atoms and actions; if there are several, it is of either. Source of the layout: AMLGym 1.0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from envs.pddl.language.vocabulary import OBJECT, Types, Vocabulary, union_of
from envs.pddl.traces.files import fault_at, traces_of_lines
from envs.pddl.traces.trace import Traces

_WHOLE = re.compile(r"\s*\(\s*:(?:trajectory|observation)\b(.*)\)\s*", re.DOTALL)
_START = re.compile(r"\(\s*:(state|action)\b")
#: A negated atom, or an atom.
_LITERAL = re.compile(r"\(\s*not\s*(\([^()]*\))\s*\)|(\([^()]*\))")
_CONJUNCTION = re.compile(r"\(\s*and\b(.*)\)", re.DOTALL)


class _Part(NamedTuple):
    """A state or an action of a file."""

    line: int
    is_action: bool
    true: list[str]  #: texts of atoms, or of the operator
    false: list[str]


def is_trajectory(path: Path) -> bool:
    """Whether a file begins as a trajectory does. Raises OSError."""
    with path.open("rb") as file:
        return file.read(100).lstrip().startswith(b"(")


def import_trajectory(path: Path, vocabulary: Vocabulary, *, lenient: bool = False) -> Traces:
    """The trace of one file in the words of `vocabulary`. Raises TraceError, OSError."""
    return traces_of_lines(path, vocabulary, _lines(path, vocabulary), lenient)


def trajectory_text(states: list[tuple[str, ...]], operators: list[str]) -> str:
    """The text of a trajectory: literals of each state, and the operators between."""
    parts = [f"(:state {' '.join(states[0])})\n"]
    for operator, state in zip(operators, states[1:], strict=True):
        parts += [f"(:action {operator})\n", f"(:state {' '.join(state)})\n"]
    return "(:trajectory\n\n" + "\n".join(parts) + "\n)\n"


def _lines(path: Path, vocabulary: Vocabulary) -> Iterator[tuple[int, dict[str, Any]]]:
    """The lines that a JSONL file would have, each with its line here. Raises TraceError."""
    parts = list(_parts(path))
    yield 1, {"trace": path.name, "objects": _objects(parts, vocabulary)}
    whole = not any(part.false for part in parts)
    for number, part in enumerate(parts):
        if part.is_action != bool(number % 2):
            raise fault_at(path, part.line, "states and actions do not take turns", "write the one missing")
    if not len(parts) % 2:
        raise fault_at(path, parts[-1].line if parts else 1, "it does not end with a state", "write it")
    states = [part.true if whole else {"true": part.true, "false": part.false} for part in parts[::2]]
    for action, state in zip(parts[1::2], states[1:], strict=True):
        if len(action.true) != 1 or action.false:
            raise fault_at(path, action.line, "this is no operator", "write (:action (NAME OBJECT ...))")
        step = {"operator": action.true[0], "executable": True, "next_state": state}
        yield action.line, step if action is not parts[1] else {"state": states[0], **step}


def _parts(path: Path) -> Iterator[_Part]:
    """The states and actions of a file. Raises TraceError."""
    try:
        text = re.sub(r";[^\n]*", "", path.read_text(encoding="utf-8")).lower()
    except UnicodeDecodeError as error:
        raise fault_at(path, 1, f"the file cannot be read ({error})", "write it as UTF-8") from None
    found = _WHOLE.fullmatch(text)
    if found is None:
        raise fault_at(path, 1, "this is no trajectory", "write (:trajectory (:state ...) (:action ...) ...)")
    starts = list(_START.finditer(text, *found.span(1)))
    ends = [*(start.start() for start in starts), found.end(1)]
    if text[found.start(1) : ends[0]].strip():
        raise fault_at(path, 1, "it does not begin with a state", "write (:trajectory (:state ...) ...)")
    line, last = 1, 0
    for start, end in zip(starts, ends[1:], strict=True):
        line, last = line + text.count("\n", last, start.start()), start.start()
        body = text[start.end() : end].rstrip()
        conjunction = _CONJUNCTION.fullmatch(body[:-1].strip())
        body = conjunction[1] + ")" if conjunction else body
        if _LITERAL.sub("", body).strip() != ")":
            fix = "write (:state (PREDICATE OBJECT ...) (not (PREDICATE OBJECT ...)) ...)"
            raise fault_at(path, line, f"this {start[1]} is more than atoms", fix)
        literals = _LITERAL.findall(body)
        true, false = [text for _, text in literals if text], [text for text, _ in literals if text]
        yield _Part(line, start[1] == "action", true, false)


def _objects(parts: Sequence[_Part], vocabulary: Vocabulary) -> dict[str, str]:
    """Each object that stands somewhere, and its type."""
    places: dict[str, set[str]] = {}
    seen = {(p.is_action, text) for p in parts for text in (*p.true, *p.false)}
    for is_action, text in seen:
        head, *names = text[1:-1].split() or [""]
        declared = vocabulary.actions if is_action else vocabulary.predicates
        for name, (_, kind) in zip(names, declared.get(head, ()), strict=False):
            places.setdefault(name, set()).add(kind)
    return {
        name: _type_of(kinds, vocabulary.types)
        for name, kinds in sorted(places.items())
        if name not in vocabulary.constants
    }


def _type_of(kinds: set[str], types: Types) -> str:
    """The most general types below all of these; if there are none, one of these, which will not fit."""
    narrowest = [one for one in kinds if all(types.is_subtype(one, other) for other in kinds)]
    if narrowest:
        return min(narrowest)
    common = [n for n in (*types.parents, OBJECT) if all(types.is_subtype(n, kind) for kind in kinds)]
    general = [n for n in common if not any(o != n and types.is_subtype(n, o) for o in common)]
    return union_of(general) if general else min(kinds)
