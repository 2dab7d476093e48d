"""Traces in files: JSON lines, gzipped or not, and CSV tables.

A JSONL file has one object a line:

    {"format": "traces", "version": 1, "domain": "(define (domain d) ...)"}     once, first
    {"trace": "t1", "objects": {"a": "block", "b": "block"}}                    begins a trace
    {"state": STATE, "operator": "(pick-up a)", "executable": true, "next_state": STATE}
    {"operator": "(stack a b)", "executable": true, "next_state": STATE}
    {"operator": "(pick-up b)", "executable": false}

Of the domain's PDDL only the declarations count: types, constants, predicates, functions, and the parameters
and costs of actions. The first line may say `"refusals_searched": true` (`Traces.refusals_searched`).
A whole STATE is a list of all atoms that hold, `["(clear a)", ...]`; a partial one is an object,
`{"true": [...], "false": [...]}`, and what it does not name is unknown. `state` may be left out where it is
the state that the trace is in by then: the last `next_state`, or the same one after a refusal. `next_state`
may be left out if it was not seen; a refused operator has none, or the same state. An operator without its
arguments, `(pick-up)`, says that only the action was seen. Objects need not repeat the domain's constants.

A CSV table has a row for each step, with the columns `trace`, `operator`, `executable` (true or false),
`state`, `next_state` and `objects` (a typed list, `a b - block`, in the first row of each trace). A state is
its atoms in a row, `(clear a) (on a b)`; with a negated one, `(not (clear b))`, it is partial. An empty cell
is something left out. The vocabulary comes from elsewhere.

Whatever is wrong is named with file and line. Reading ends with the first fault, or, if asked to be lenient,
leaves out the rest of its trace and lists the fault.
"""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from envs.pddl.diagnosis.findings import did_you_mean
from envs.pddl.language.domain import read_vocabulary
from envs.pddl.language.issues import PDDLError
from envs.pddl.language.operators import format_operator, parse_operator
from envs.pddl.language.sexpr import Group, Source, read_sexprs
from envs.pddl.language.structure import GroundAtom
from envs.pddl.language.template import domain_template
from envs.pddl.language.vocabulary import Vocabulary, read_typed
from envs.pddl.traces.trace import SeenState, Step, Trace, TraceError, TraceFault, Traces, trace_of


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
        self._check("action", name, arguments or None)  # without any, only the action was seen
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
        self._check("predicate", name, arguments)
        atom = self._atoms[text] = (name, *arguments)
        return atom

    def _check(self, what: str, name: str, arguments: Sequence[str] | None) -> None:
        """Raises TraceError unless the name is declared and its arguments, if given, are objects that fit."""
        declared = self._vocabulary.actions if what == "action" else self._vocabulary.predicates
        if name not in declared:
            hint = did_you_mean(name, declared)
            raise self._fault(f"there is no {what} {name}{hint}", f"use a declared {what}")
        if arguments is None:
            return
        wanted = declared[name]
        if len(arguments) != len(wanted):
            raise self._fault(f"{name} takes {len(wanted)} arguments, not {len(arguments)}", "correct it")
        for argument, (_, kind) in zip(arguments, wanted, strict=True):
            own = self._objects.get(argument)
            if own is None:
                hint = did_you_mean(argument, self._objects)
                raise self._fault(f"there is no object {argument}{hint}", "name it among the trace's objects")
            if not self._vocabulary.types.is_subtype(own, kind):
                message = f"{argument} is of type {own}, and {name} takes {kind} there"
                raise self._fault(message, "correct it")


FORMAT, VERSION = "traces", 1
_COLUMNS = ("trace", "operator", "executable", "state", "next_state", "objects")


def load_traces(path: Path, *, lenient: bool = False) -> Traces:
    """The traces of a JSONL file. Raises TraceError; OSError if the file cannot be opened."""
    opener: Any = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as file:
        lines = _objects(path, file)
        header = next(lines, None)
        if header is None:
            raise fault_at(path, 1, "the file is empty", "begin it with the line of the format")
        vocabulary = _vocabulary(path, header[1])
        found = traces_of_lines(path, vocabulary, lines, lenient)
        return replace(found, refusals_searched=header[1].get("refusals_searched") is True)


def save_traces(path: Path, traces: Traces) -> None:
    """Write a JSONL file, gzipped if its name ends in .gz; equal traces make equal bytes."""
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in _lines(traces))
    data = text.encode("utf-8")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)


def import_csv(path: Path, vocabulary: Vocabulary, *, lenient: bool = False) -> Traces:
    """The traces of a CSV table in the words of `vocabulary`. Raises TraceError, OSError."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = csv.DictReader(file)
        missing = [name for name in _COLUMNS[:3] if name not in (rows.fieldnames or ())]
        if missing:
            fix = f"name the columns {', '.join(_COLUMNS)}"
            raise fault_at(path, 1, f"there is no column {' or '.join(missing)}", fix)
        return traces_of_lines(path, vocabulary, _of_rows(rows), lenient)


def traces_of_lines(
    path: Path, vocabulary: Vocabulary, lines: Iterator[tuple[int, Any]], lenient: bool
) -> Traces:
    """What a file says: each line's number and object, as JSON lines have them. Raises TraceError."""
    reader = TraceReader(vocabulary)
    faults: list[TraceFault] = []
    while True:
        try:
            for number, line in lines:
                reader.line(line, f"{path.name}:{number}")
            break
        except TraceError as error:  # of this line; after one of the file itself there are no more lines
            faults.extend(error.faults)
            reader.skip()
    if faults and not lenient:
        raise TraceError(faults[:1])
    return Traces(vocabulary, reader.traces(), tuple(faults))


def _objects(path: Path, file: Iterable[str]) -> Iterator[tuple[int, Any]]:
    """Each line's number and object. Raises TraceError where the file breaks off or is no JSON."""
    number = 0
    try:
        for number, line in enumerate(file, start=1):
            if line.strip():
                yield number, json.loads(line)
    except json.JSONDecodeError as error:
        fix = "correct the line, or remove it if the file was cut off there"
        raise fault_at(path, number, f"this is no JSON ({error})", fix) from None
    except (EOFError, gzip.BadGzipFile, UnicodeDecodeError) as error:
        fix = "get the whole file again"
        raise fault_at(path, number + 1, f"the file cannot be read on ({error})", fix) from None


def _vocabulary(path: Path, header: Any) -> Vocabulary:
    kind = (header.get("format"), header.get("version")) if isinstance(header, dict) else None
    if kind != (FORMAT, VERSION) or not isinstance(header.get("domain"), str):
        wanted = (
            f'write {{"format": "{FORMAT}", "version": {VERSION}, "domain": "(define (domain ...) ...)"}}'
        )
        raise fault_at(path, 1, "the first line does not name the format", wanted)
    try:
        return read_vocabulary(header["domain"])
    except PDDLError as error:
        issue = error.issues[0]
        raise fault_at(path, 1, f"in the domain, {issue.message}", issue.fix) from None


def _of_rows(rows: csv.DictReader[str]) -> Iterator[tuple[int, Any]]:
    """The rows as the lines that a JSONL file would have."""
    trace: str | None = None
    for row in rows:
        cells = {name: (row.get(name) or "").strip() for name in _COLUMNS}
        if cells["trace"] != trace:
            trace = cells["trace"]
            yield rows.line_num, {"trace": trace, "objects": cells["objects"]}
        said = {"true": True, "false": False}.get(cells["executable"].lower())
        line: dict[str, Any] = {"operator": cells["operator"], "executable": said}
        line |= {name: cells[name] for name in ("state", "next_state") if cells[name]}
        yield rows.line_num, line


def _lines(traces: Traces) -> Iterator[dict[str, Any]]:
    header = {"format": FORMAT, "version": VERSION, "domain": domain_template(traces.vocabulary)}
    yield {**header, "refusals_searched": True} if traces.refusals_searched else header
    for trace in traces.traces:
        own = {n: k for n, k in trace.objects.items() if n not in traces.vocabulary.constants}
        yield {"trace": trace.name, "objects": own}
        yield from _steps(trace)


def _steps(trace: Trace) -> Iterator[dict[str, Any]]:
    reached: int | None = None
    for step in trace.steps:
        line: dict[str, Any] = {} if step.before == reached else {"state": _written(trace.state(step.before))}
        line |= {"operator": step.operator, "executable": step.executable}
        if step.after is not None:
            line["next_state"] = _written(trace.state(step.after))
        yield line
        reached = step.after if step.executable else step.before


def _written(state: SeenState) -> list[str] | dict[str, list[str]]:
    if state.false is None:
        return _texts(state.true)
    return {"true": _texts(state.true), "false": _texts(state.false)}


def _texts(atoms: Iterable[GroundAtom]) -> list[str]:
    return [f"({' '.join(atom)})" for atom in sorted(atoms)]


def fault_at(path: Path, line: int, message: str, fix: str) -> TraceError:
    """One fault of a file, to be raised."""
    return TraceError([TraceFault(f"{path.name}:{line}", message, fix)])
