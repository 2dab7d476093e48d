"""The commands of the golden record, and what is kept of what each of them writes.

Kept are tables and models as text, without columns of seconds, and a line for every request that was sent to
a language model. Not kept is what names the machine, the clock or a version: `config.json`, `summary.json`,
`events.jsonl`, figures and the page; their names are, in `files.txt`.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: Two run directories, one finished and one whose process was killed; see the file README.md beside them.
RUNS = ROOT / "tests" / "data" / "golden" / "runs"
#: Columns that are the clock's.
CLOCK = ("wall s", "wall_s", "CPU s", "cpu_s", "seconds", "longest")
#: Text files of a run, or of a study, that are kept.
_KEPT = (".csv", ".md", ".pddl", ".diff", ".txt")
#: Begins the names of files that help to read a difference and are not compared.
UNCOMPARED = "_"
_EXCERPTS = f"{UNCOMPARED}requests.json"
#: What would send a command to another machine, or have it ask somebody.
_UNSET = ("OPENAI_API_KEY", "RAY_ADDRESS", "PYTHONPATH")


class Broken(RuntimeError):
    """A command did not do what every version of it has to do; nothing is recorded of that."""


def call(arguments: Sequence[str], scratch: Path) -> float:
    """Run Python with these arguments in `scratch`; the seconds of CPU that it took. Raises Broken."""
    log = scratch / "log.txt"
    environment = {name: value for name, value in os.environ.items() if name not in _UNSET}
    with log.open("ab") as file:
        process = subprocess.Popen(
            [sys.executable, "-P", *arguments],
            cwd=scratch, env=environment | {"PYTHONPATH": str(ROOT)},
            stdin=subprocess.DEVNULL, stdout=file, stderr=file,
        )  # fmt: skip
        _, status, used = os.wait4(process.pid, 0)  # with what its own children used, unlike `wait`
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        said = log.read_text(encoding="utf-8", errors="replace")[-2000:]
        raise Broken(f"exit code {process.returncode} of python {' '.join(arguments)}\n{said}")
    return used.ru_utime + used.ru_stime


@dataclass(frozen=True)
class Job:
    """A command of `python -m experiments.run`. Called with a folder to write to, it gives its seconds."""

    arguments: str  #: all but --out
    serial: bool = True  #: whether it takes --executor; results do not depend on it

    def __call__(self, folder: Path, scratch: Path) -> float:
        """Run the command in `scratch` and keep what it writes in `folder`. Raises Broken."""
        out = scratch / "out"
        flags = ["--executor", "serial"] if self.serial else []
        spent = call(["-m", "experiments.run", *self.arguments.split(), *flags, "--out", str(out)], scratch)
        keep(out, folder)
        return spent


@dataclass(frozen=True)
class Library:
    """A part of `golden_library`."""

    name: str

    def __call__(self, folder: Path, scratch: Path) -> float:
        """Have the part written into `folder`; the CPU seconds. Raises Broken."""
        return call([str(ROOT / "tests" / "golden_library.py"), self.name, str(folder)], scratch)


def old_runs(folder: Path, scratch: Path) -> float:
    """Run directories of another version: reported, resumed, and replayed. Raises Broken.

    The finished one is reported, found finished and replayed; the killed one is reported and resumed.
    Both have to come to the results that the finished one was written with.
    """
    command = (RUNS / "command.txt").read_text(encoding="utf-8").split()
    results = (RUNS / "finished" / "results.csv").read_bytes()
    spent = 0.0
    for name in ("finished", "killed"):
        out = scratch / name
        shutil.copytree(RUNS / name, out)
        spent += call(["-m", "experiments.report", str(out), "--no-html", "--no-plots"], scratch)
        keep(out, folder / f"{name}-reported")
        spent += call(["-m", "experiments.run", *command, "--out", str(out)], scratch)
        if (out / "results.csv").read_bytes() != results:
            raise Broken(f"{name}: resumed, its results.csv is not that of the finished run")
        keep(out, folder / f"{name}-resumed")
    return spent + call(
        ["-m", "experiments.run", "replay", str(scratch / "finished"), "--executor", "serial"], scratch
    )


def keep(out: Path, folder: Path) -> None:
    """Copy what is kept of a run directory or a study's."""
    folder.mkdir(parents=True, exist_ok=True)
    names = [path.relative_to(out).as_posix() for path in sorted(out.rglob("*")) if path.is_file()]
    shown = [name for name in names if name != "lock" and not name.startswith("calls.sqlite-")]
    _write(folder / "files.txt", "".join(f"{name}\n" for name in shown))
    for name in names:
        if name.endswith(_KEPT):
            text = (out / name).read_text(encoding="utf-8")
            _write(folder / name, WITHOUT_CLOCK.get(Path(name).suffix, str)(text))
    if (out / "calls.sqlite").exists():
        lines, excerpts = _requests(out / "calls.sqlite")
        _write(folder / "requests.txt", lines)
        _write(folder / _EXCERPTS, json.dumps(excerpts))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")


def _requests(journal: Path) -> tuple[str, dict[str, str]]:
    """A line for each request, its SHA-256 and its samples, sorted; and the beginning of each, by SHA-256."""
    database = sqlite3.connect(journal)
    query = "SELECT r.request, c.sample FROM calls c JOIN requests r ON r.id = c.request"
    samples: dict[str, set[int]] = {}
    for request, sample in database.execute(query):
        samples.setdefault(request, set()).add(sample)
    database.close()
    named = {hashlib.sha256(request.encode("utf-8")).hexdigest(): request for request in samples}
    lines = (f"{name} {' '.join(map(str, sorted(samples[named[name]])))}\n" for name in sorted(named))
    last = {name: json.loads(request)["messages"][-1]["content"] for name, request in named.items()}
    return "".join(lines), last


def _without_columns(text: str) -> str:
    """A CSV file without the columns of the clock."""
    rows = list(csv.reader(io.StringIO(text)))
    kept = io.StringIO()
    writer = csv.writer(kept, lineterminator="\n")
    left = [i for i, name in enumerate(rows[0]) if name not in CLOCK] if rows else []
    writer.writerows([row[i] for i in left if i < len(row)] for row in rows)
    return kept.getvalue()


def _without_cells(text: str) -> str:
    """Markdown whose tables are without them."""
    return "".join(_table_lines(text.splitlines(keepends=True)))


def _table_lines(lines: Sequence[str]) -> Iterator[str]:
    left: list[int] | None = None
    for line in lines:
        if not line.startswith("|"):
            left = None
            yield line
            continue
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]
        if left is None:
            left = [i for i, name in enumerate(cells) if name not in CLOCK]
        yield "| " + " | ".join(cells[i] for i in left if i < len(cells)) + " |\n"


WITHOUT_CLOCK: Mapping[str, Callable[[str], str]] = {".csv": _without_columns, ".md": _without_cells}
