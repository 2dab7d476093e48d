"""Which tests run which lines, and what each test costs: made once for a tree, read for every mutant.

What tests run in other processes is not seen. A line that no test runs in its own process gets the tests that
run another line of its function, or else of its file.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from mutation.changes import Mutant

#: In the map hypothesis draws a tenth of its examples: enough to see which lines a test runs.
EXAMPLES_OF_MAP = 10


@dataclass(frozen=True)
class TestMap:
    """The candidates for every line."""

    seconds: Mapping[str, float]  #: CPU seconds of each test that passed
    by_line: Mapping[str, Mapping[int, Set[str]]]  #: by path from the root

    def candidates(self, mutant: Mutant) -> list[str]:
        """The tests that may kill it, the cheapest first."""
        lines = self.by_line.get(mutant.path, {})
        for first, last in (mutant.lines, mutant.function_lines, (0, sys.maxsize)):
            found = {test for line, tests in lines.items() if first <= line <= last for test in tests}
            if found:
                return sorted(found, key=lambda test: (self.seconds[test], test))
        return []


def environment(tree: Path) -> dict[str, str]:
    """Of a run of tests in a copy of the tree: its modules come before any that are installed."""
    paths = os.pathsep.join((str(tree), str(tree / "tests")))
    return {**os.environ, "PYTHONPATH": paths, "PYTHONHASHSEED": "0"}


def make_map(tree: Path, folder: Path, sources: Sequence[str], tests: Sequence[str]) -> TestMap:
    """The map of these tests over these sources; kept in `folder`, one file for each file of tests."""
    code = digest(tree, [path for source in sources for path in python_files(tree / source)])
    files = [path for place in tests for path in python_files(tree / place) if path.name.startswith("test_")]
    kept = {path: folder / f"{code}-{digest(tree, [path, *_beside(tree, path)])}.json" for path in files}
    missing = [path for path in files if not kept[path].exists()]
    if missing:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as measured:
            _measure(tree, Path(measured), sources, missing)
            split(tree, Path(measured), {path: kept[path] for path in missing})
    return _joined(list(kept.values()))


def digest(tree: Path, paths: Sequence[Path]) -> str:
    """Of the names and contents of files."""
    found = hashlib.sha256()
    for path in sorted(paths):
        found.update(path.relative_to(tree).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return found.hexdigest()[:16]


def python_files(place: Path) -> list[Path]:
    """A file, or all below a folder."""
    return [place] if place.suffix == ".py" else sorted(place.rglob("*.py"))


def _beside(tree: Path, path: Path) -> list[Path]:
    """What a file of tests may import from its folder, and the fixtures of the folders above."""
    own = [p for p in path.parent.glob("*.py") if not p.name.startswith("test_")]
    above = [p / "conftest.py" for p in path.parents if p.is_relative_to(tree)]
    return list(dict.fromkeys([*own, *(p for p in above if p.exists())]))


def _measure(tree: Path, folder: Path, sources: Sequence[str], files: Sequence[Path]) -> None:
    include = [str(tree / s) if s.endswith(".py") else f"{tree / s}/*" for s in sources]
    wanted = {
        "GROUNDWALK_MAP": str(folder),
        "GROUNDWALK_SOURCES": json.dumps(include),
        "GROUNDWALK_EXAMPLES": str(EXAMPLES_OF_MAP),
    }
    command = [sys.executable, "-m", "pytest", "-n", "0", "-p", "no:cacheprovider", "-p", "mutation.plugin"]
    tests = [path.relative_to(tree).as_posix() for path in files]
    subprocess.run(
        [*command, "-q", "--tb=no", "-o", "timeout=0", *tests],
        cwd=tree,
        env=environment(tree) | wanted,
        check=False,
    )


def split(tree: Path, folder: Path, kept: Mapping[Path, Path]) -> None:
    """Write what was measured into one file a file of tests: seconds and lines of each test that passed."""
    tests = json.loads((folder / "tests.json").read_text(encoding="utf-8"))
    passed = {name: test for name, test in tests.items() if test["passed"]}
    lines = {name: dict[str, list[int]]() for name in passed}
    of_context = {f"test {name}": [name] for name in passed}
    for name, test in passed.items():
        for fixture in test["fixtures"]:
            of_context.setdefault(fixture, []).append(name)
    # Only the map needs it, which is made by hand; the draw of the mutants is tested without.
    from coverage import CoverageData

    data = CoverageData(str(folder / "lines.sqlite"))
    data.read()
    for path in data.measured_files():
        source = Path(path).relative_to(tree).as_posix()
        for line, contexts in data.contexts_by_lineno(path).items():
            for name in {name for context in contexts for name in of_context.get(context, ())}:
                lines[name].setdefault(source, []).append(line)
    for file, target in kept.items():
        prefix = f"{file.relative_to(tree).as_posix()}::"
        own = [name for name in passed if name.startswith(prefix)]
        found = {name: {"seconds": passed[name]["seconds"], "lines": lines[name]} for name in own}
        target.write_text(json.dumps(found), encoding="utf-8")


def _joined(files: Sequence[Path]) -> TestMap:
    seconds: dict[str, float] = {}
    by_line: dict[str, dict[int, set[str]]] = {}
    for file in files:
        for name, test in json.loads(file.read_text(encoding="utf-8")).items():
            seconds[name] = test["seconds"]
            for path, lines in test["lines"].items():
                for line in lines:
                    by_line.setdefault(path, {}).setdefault(line, set()).add(name)
    return TestMap(seconds, by_line)
