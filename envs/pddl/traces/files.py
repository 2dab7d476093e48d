"""Traces in files: JSON lines, gzipped or not, and CSV tables.

A JSONL file has one object a line:

    {"format": "traces", "version": 1, "domain": "(define (domain d) ...)"}     once, first
    {"trace": "t1", "objects": {"a": "block", "b": "block"}}                    begins a trace
    {"state": STATE, "operator": "(pick-up a)", "executable": true, "next_state": STATE}
    {"operator": "(stack a b)", "executable": true, "next_state": STATE}
    {"operator": "(pick-up b)", "executable": false}

Of the domain's PDDL only the declarations count: types, constants, predicates, functions, and the parameters
and costs of actions.
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
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, cast

from envs.pddl.language.domain import read_vocabulary
from envs.pddl.language.issues import PDDLError
from envs.pddl.language.structure import GroundAtom
from envs.pddl.language.template import domain_template
from envs.pddl.language.vocabulary import Vocabulary
from envs.pddl.traces.reader import TraceReader
from envs.pddl.traces.trace import SeenState, Trace, TraceError, TraceFault, Traces

FORMAT, VERSION = "traces", 1
_COLUMNS = ("trace", "operator", "executable", "state", "next_state", "objects")


def load_traces(path: Path, *, lenient: bool = False) -> Traces:
    """The traces of a JSONL file. Raises TraceError; OSError if the file cannot be opened."""
    with _opened(path) as file:
        lines = _objects(path, file)
        header = next(lines, None)
        if header is None:
            raise _error(path, 1, "the file is empty", "begin it with the line of the format")
        vocabulary = _vocabulary(path, header[1])
        return _read(path, vocabulary, lines, lenient)


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
            raise _error(path, 1, f"there is no column {' or '.join(missing)}", fix)
        return _read(path, vocabulary, _of_rows(rows), lenient)


def _read(path: Path, vocabulary: Vocabulary, lines: Iterator[tuple[int, Any]], lenient: bool) -> Traces:
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
        raise _error(path, number, f"this is no JSON ({error})", fix) from None
    except (EOFError, gzip.BadGzipFile, UnicodeDecodeError) as error:
        fix = "get the whole file again"
        raise _error(path, number + 1, f"the file cannot be read on ({error})", fix) from None


def _vocabulary(path: Path, header: Any) -> Vocabulary:
    kind = (header.get("format"), header.get("version")) if isinstance(header, dict) else None
    if kind != (FORMAT, VERSION) or not isinstance(header.get("domain"), str):
        wanted = (
            f'write {{"format": "{FORMAT}", "version": {VERSION}, "domain": "(define (domain ...) ...)"}}'
        )
        raise _error(path, 1, "the first line does not name the format", wanted)
    try:
        return read_vocabulary(header["domain"])
    except PDDLError as error:
        issue = error.issues[0]
        raise _error(path, 1, f"in the domain, {issue.message}", issue.fix) from None


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
    yield {"format": FORMAT, "version": VERSION, "domain": domain_template(traces.vocabulary)}
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


def _opened(path: Path) -> Any:
    """The file as text."""
    opener = cast(Callable[..., Any], gzip.open if path.suffix == ".gz" else open)
    return opener(path, "rt", encoding="utf-8")


def _error(path: Path, line: int, message: str, fix: str) -> TraceError:
    return TraceError([TraceFault(f"{path.name}:{line}", message, fix)])
