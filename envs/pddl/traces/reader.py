"""Lines of a trace file to traces: each line is checked against the vocabulary as it comes.

The reader goes on from a fault only if it is told to `skip`: then the trace that it is in ends before the
fault, and what follows of it is passed over.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from envs.pddl.diagnosis.findings import did_you_mean
from envs.pddl.language.issues import PDDLError
from envs.pddl.language.operators import format_operator, parse_operator
from envs.pddl.language.sexpr import Group, Source, Word, read_sexprs
from envs.pddl.language.structure import GroundAtom
from envs.pddl.language.vocabulary import OBJECT, Parameters, Vocabulary
from envs.pddl.traces.trace import SeenState, Step, Trace, trace_of


class Unreadable(ValueError):
    """A line that cannot be taken: what is wrong with it, and how to mend it."""

    def __init__(self, message: str, fix: str):
        super().__init__(message, fix)
        self.message = message
        self.fix = fix


@dataclass
class _Open:
    """The trace that is being read. `at` is the number of the state that it is in, None if unseen."""

    name: str
    objects: dict[str, str]
    states: list[SeenState] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    at: int | None = None
    atoms: dict[str, GroundAtom] = field(default_factory=dict)  #: texts that were checked


class TraceReader:
    """Takes the lines of one file in order, and gives the traces in the end."""

    def __init__(self, vocabulary: Vocabulary):
        self._vocabulary = vocabulary
        self._done: list[Trace] = []
        self._open: _Open | None = None
        self._skipping = False
        self._states: dict[SeenState, int] = {}

    def line(self, line: Any, place: str) -> None:
        """Take one line. Raises Unreadable."""
        if not isinstance(line, Mapping):
            raise Unreadable("a line is one JSON object", 'write {"operator": ..., "executable": ...}')
        if "trace" in line:
            self._begin(line)
        elif self._open is not None:
            self._step(self._open, line, place)
        elif not self._skipping:
            raise Unreadable("this step is in no trace", 'write {"trace": NAME, "objects": {...}} before it')

    def skip(self) -> None:
        """Go on at the next trace; what was read of this one stays."""
        self._end()
        self._skipping = True

    def traces(self) -> tuple[Trace, ...]:
        """All that was read."""
        self._end()
        return tuple(self._done)

    def _begin(self, line: Mapping[str, Any]) -> None:
        self._end()
        objects = line.get("objects", {})
        entries = _typed(objects) if isinstance(objects, str) else objects
        if not isinstance(entries, Mapping):
            raise Unreadable('"objects" names each object\'s type', 'write {"a": "block", ...}')
        named = {str(n).lower(): str(k).lower() for n, k in entries.items()}
        for name, kind in named.items():
            if not self._vocabulary.types.declares(kind):
                hint = did_you_mean(kind, self._vocabulary.types.parents)
                raise Unreadable(f"object {name} has the unknown type {kind}{hint}", "use a declared type")
        self._open = _Open(str(line["trace"]), {**self._vocabulary.constants, **named})
        self._states, self._skipping = {}, False

    def _end(self) -> None:
        if self._open is not None:
            o = self._open
            self._done.append(trace_of(o.name, o.objects, o.states, o.steps))
        self._open = None

    def _step(self, trace: _Open, line: Mapping[str, Any], place: str) -> None:
        executable = line.get("executable")
        if not isinstance(executable, bool):
            raise Unreadable('"executable" is neither true nor false', "write one of them")
        operator = self._operator(trace, line.get("operator"))
        before = trace.at if "state" not in line else self._state(trace, line["state"])
        if before is None:
            raise Unreadable("the state that this step starts from is not given", 'write its "state"')
        after = self._state(trace, line["next_state"]) if "next_state" in line else None
        if not executable:
            if after is not None and not trace.states[after].allows(trace.states[before]):
                fix = "leave out its next state, or call it executable"
                raise Unreadable("a refused operator changes nothing, but the next state is another", fix)
            after = None
        trace.steps.append(Step(operator, executable, before, after, place))
        trace.at = after if executable else before

    def _operator(self, trace: _Open, text: Any) -> str:
        try:
            name, arguments = parse_operator(text if isinstance(text, str) else "")
        except ValueError as error:
            raise Unreadable(str(error), "write the operator that was tried") from None
        known = self._vocabulary.actions.get(name)
        if known is None:
            hint = did_you_mean(name, self._vocabulary.actions)
            raise Unreadable(f"there is no action {name}{hint}", "use a declared action")
        if arguments:  # without any, only the action was seen
            self._check(trace, name, arguments, known)
        return format_operator(name, arguments)

    def _state(self, trace: _Open, written: Any) -> int:
        state = self._seen(trace, written)
        number = self._states.setdefault(state, len(trace.states))
        if number == len(trace.states):
            trace.states.append(state)
        return number

    def _seen(self, trace: _Open, written: Any) -> SeenState:
        if isinstance(written, str):
            return self._of_text(trace, written)
        if isinstance(written, list):
            return SeenState(self._atoms(trace, written))
        if isinstance(written, Mapping) and set(written) <= {"true", "false"}:
            parts = [written.get(key, []) for key in ("true", "false")]
            if all(isinstance(part, list) for part in parts):
                return _partial(*(self._atoms(trace, part) for part in parts))
        fix = 'write ["(atom ...)", ...], or {"true": [...], "false": [...]} if it is partial'
        raise Unreadable("this is no state", fix)

    def _of_text(self, trace: _Open, text: str) -> SeenState:
        """The state of a table's cell."""
        true: list[str] = []
        false: list[str] = []
        for node in _nodes(text):
            negated = isinstance(node, Group) and node.head == "not" and len(node.items) == 2
            atom = node.items[1] if negated and isinstance(node, Group) else node
            (false if negated else true).append(str(atom))
        held = self._atoms(trace, true)
        return _partial(held, self._atoms(trace, false)) if false else SeenState(held)

    def _atoms(self, trace: _Open, texts: Sequence[Any]) -> frozenset[GroundAtom]:
        return frozenset(self._atom(trace, text) for text in texts)

    def _atom(self, trace: _Open, text: Any) -> GroundAtom:
        known = trace.atoms.get(text) if isinstance(text, str) else None
        if known is not None:
            return known
        try:
            name, arguments = parse_operator(text if isinstance(text, str) else "")
        except ValueError:
            raise Unreadable(f"{text!r} is no atom", "write (predicate object ...)") from None
        declared = self._vocabulary.predicates.get(name)
        if declared is None:
            hint = did_you_mean(name, self._vocabulary.predicates)
            raise Unreadable(f"there is no predicate {name}{hint}", "use a declared predicate")
        self._check(trace, name, arguments, declared)
        atom = trace.atoms[text] = (name, *arguments)
        return atom

    def _check(self, trace: _Open, name: str, arguments: Sequence[str], declared: Parameters) -> None:
        """Raises Unreadable unless there are as many objects as parameters, known and of fitting types."""
        if len(arguments) != len(declared):
            raise Unreadable(f"{name} takes {len(declared)} arguments, not {len(arguments)}", "mend it")
        for argument, (_, kind) in zip(arguments, declared, strict=True):
            own = trace.objects.get(argument)
            if own is None:
                hint = did_you_mean(argument, trace.objects)
                raise Unreadable(f"there is no object {argument}{hint}", "name it among the trace's objects")
            if not self._vocabulary.types.is_subtype(own, kind):
                raise Unreadable(f"{argument} is of type {own}, and {name} takes {kind} there", "mend it")


def _partial(true: frozenset[GroundAtom], false: frozenset[GroundAtom]) -> SeenState:
    both = sorted(true & false)
    if both:
        raise Unreadable(f"({' '.join(both[0])}) is both true and false here", "keep one of them")
    return SeenState(true, false)


def _typed(text: str) -> dict[str, str]:
    """The objects of `a b - block c`."""
    found: dict[str, str] = {}
    waiting: list[str] = []
    words = iter(text.lower().split())
    for word in words:
        if word == "-":
            found |= dict.fromkeys(waiting, next(words, OBJECT))
            waiting = []
        else:
            waiting.append(word)
    return found | dict.fromkeys(waiting, OBJECT)


def _nodes(text: str) -> Iterable[Word | Group]:
    try:
        return read_sexprs(Source(text, "state"))
    except PDDLError as error:
        raise Unreadable(error.issues[0].message, error.issues[0].fix) from None
