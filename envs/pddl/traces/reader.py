"""Lines of a trace file to traces: each line is checked against the vocabulary as it comes.

After a fault the reader continues only if `skip` is called: then the trace that it is in ends before the
fault, and what follows of it is passed over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from envs.pddl.diagnosis.findings import did_you_mean
from envs.pddl.language.issues import PDDLError
from envs.pddl.language.operators import format_operator, parse_operator
from envs.pddl.language.sexpr import Group, Source, read_sexprs
from envs.pddl.language.structure import GroundAtom
from envs.pddl.language.vocabulary import Parameters, Vocabulary, read_typed
from envs.pddl.traces.trace import SeenState, Step, Trace, TraceError, TraceFault, trace_of


class TraceReader:
    """Takes the lines of one file in order, and gives the traces in the end."""

    def __init__(self, vocabulary: Vocabulary):
        self._vocabulary = vocabulary
        self._done: list[Trace] = []
        self._place = ""  #: of the line that is being read
        self._skipping = False
        self._name: str | None = None  #: of the trace that is being read; None if there is none
        self._begin({})

    def line(self, line: Any, place: str) -> None:
        """Take one line, which stands at `place`. Raises TraceError."""
        self._place = place
        if not isinstance(line, Mapping):
            raise self._fault("a line is one JSON object", 'write {"operator": ..., "executable": ...}')
        if "trace" in line:
            self._end()
            self._begin(self._declared(line.get("objects", {})))
            self._name, self._skipping = str(line["trace"]), False
        elif self._name is not None:
            self._step(line)
        elif not self._skipping:
            fix = 'write {"trace": NAME, "objects": {...}} before it'
            raise self._fault("this step is in no trace", fix)

    def skip(self) -> None:
        """Go on at the next trace; what was read of this one stays."""
        self._end()
        self._skipping = True

    def traces(self) -> tuple[Trace, ...]:
        """All that was read."""
        self._end()
        return tuple(self._done)

    def _fault(self, message: str, fix: str) -> TraceError:
        return TraceError([TraceFault(self._place, message, fix)])

    def _begin(self, objects: Mapping[str, str]) -> None:
        self._objects = {**self._vocabulary.constants, **objects}
        self._states: dict[SeenState, int] = {}
        self._steps: list[Step] = []
        self._at: int | None = None  #: the number of the state that the trace is in; None if unseen
        self._atoms: dict[str, GroundAtom] = {}  #: texts that were checked

    def _end(self) -> None:
        if self._name is not None:
            self._done.append(trace_of(self._name, self._objects, list(self._states), self._steps))
        self._name = None

    def _declared(self, objects: Any) -> dict[str, str]:
        """The objects that the first line of a trace names, with their types."""
        if isinstance(objects, str):
            objects = dict(read_typed(objects.split()))
        if not isinstance(objects, Mapping):
            raise self._fault('"objects" names each object\'s type', 'write {"a": "block", ...}')
        named = {str(name).lower(): str(kind).lower() for name, kind in objects.items()}
        for name, kind in named.items():
            if not self._vocabulary.types.declares(kind):
                hint = did_you_mean(kind, self._vocabulary.types.parents)
                raise self._fault(f"object {name} has the unknown type {kind}{hint}", "use a declared type")
        return named

    def _step(self, line: Mapping[str, Any]) -> None:
        executable = line.get("executable")
        if not isinstance(executable, bool):
            raise self._fault('"executable" is neither true nor false', "write one of them")
        operator = self._operator(line.get("operator"))
        before = self._at if "state" not in line else self._state(line["state"])
        if before is None:
            raise self._fault("the state that this step starts from is not given", 'write its "state"')
        after = self._state(line["next_state"]) if "next_state" in line else None
        if not executable:
            states = list(self._states) if after is not None else []
            if after is not None and not states[after].allows(states[before]):
                fix = "leave out its next state, or call it executable"
                raise self._fault("a refused operator changes nothing, but the next state is another", fix)
            after = None
        self._steps.append(Step(operator, executable, before, after, self._place))
        self._at = after if executable else before

    def _operator(self, text: Any) -> str:
        try:
            name, arguments = parse_operator(text if isinstance(text, str) else "")
        except ValueError as error:
            raise self._fault(str(error), "write the operator that was tried") from None
        known = self._vocabulary.actions.get(name)
        if known is None:
            hint = did_you_mean(name, self._vocabulary.actions)
            raise self._fault(f"there is no action {name}{hint}", "use a declared action")
        if arguments:  # without any, only the action was seen
            self._check(name, arguments, known)
        return format_operator(name, arguments)

    def _state(self, written: Any) -> int:
        """The number of a state."""
        return self._states.setdefault(self._seen(written), len(self._states))

    def _seen(self, written: Any) -> SeenState:
        if isinstance(written, str):
            written = self._cell(written)
        if isinstance(written, list):
            return SeenState(self._atoms_of(written))
        if isinstance(written, Mapping) and set(written) <= {"true", "false"}:
            parts = [written.get(key, []) for key in ("true", "false")]
            if all(isinstance(part, list) for part in parts):
                true, false = map(self._atoms_of, parts)
                both = sorted(true & false)
                if not both:
                    return SeenState(true, false)
                raise self._fault(f"({' '.join(both[0])}) is both true and false here", "keep one of them")
        fix = 'write ["(atom ...)", ...], or {"true": [...], "false": [...]} if it is partial'
        raise self._fault("this is no state", fix)

    def _cell(self, text: str) -> list[str] | dict[str, list[str]]:
        """The state of a table's cell as a file of lines has it."""
        try:
            nodes = read_sexprs(Source(text, "state"))
        except PDDLError as error:
            raise self._fault(error.issues[0].message, error.issues[0].fix) from None
        state: dict[str, list[str]] = {"true": [], "false": []}
        for node in nodes:
            negated = isinstance(node, Group) and node.head == "not" and len(node.items) == 2
            atom = node.items[1] if negated and isinstance(node, Group) else node
            state["false" if negated else "true"].append(str(atom))
        return state if state["false"] else state["true"]

    def _atoms_of(self, texts: Sequence[Any]) -> frozenset[GroundAtom]:
        return frozenset(map(self._atom, texts))

    def _atom(self, text: Any) -> GroundAtom:
        known = self._atoms.get(text) if isinstance(text, str) else None
        if known is not None:
            return known
        try:
            name, arguments = parse_operator(text if isinstance(text, str) else "")
        except ValueError:
            raise self._fault(f"{text!r} is no atom", "write (predicate object ...)") from None
        declared = self._vocabulary.predicates.get(name)
        if declared is None:
            hint = did_you_mean(name, self._vocabulary.predicates)
            raise self._fault(f"there is no predicate {name}{hint}", "use a declared predicate")
        self._check(name, arguments, declared)
        atom = self._atoms[text] = (name, *arguments)
        return atom

    def _check(self, name: str, arguments: Sequence[str], declared: Parameters) -> None:
        """Raises TraceError unless there are as many objects as parameters, known and of fitting types."""
        if len(arguments) != len(declared):
            raise self._fault(f"{name} takes {len(declared)} arguments, not {len(arguments)}", "correct it")
        for argument, (_, kind) in zip(arguments, declared, strict=True):
            own = self._objects.get(argument)
            if own is None:
                hint = did_you_mean(argument, self._objects)
                raise self._fault(f"there is no object {argument}{hint}", "name it among the trace's objects")
            if not self._vocabulary.types.is_subtype(own, kind):
                message = f"{argument} is of type {own}, and {name} takes {kind} there"
                raise self._fault(message, "correct it")
