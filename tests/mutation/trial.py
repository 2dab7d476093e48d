"""One mutant, tried: its tests in a child process, on a copy of the tree, under a limit of CPU time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from mutation.changes import Mutant, mutated
from mutation.which_tests import environment

_QUIET = ["-n", "0", "-p", "no:cacheprovider", "-p", "mutation.plugin", "-x", "-q", "--tb=line", "-rfE"]
_NOT_SLOW = ["-m", "not slow", "-o", "timeout=0"]
_FAILED, _BROKEN = 1, (2, 3, 4)


@dataclass(frozen=True)
class Trial:
    """What became of a mutant."""

    killed: bool
    by: str  #: the test that failed, "import", "limit", or "" of one that lives
    tests: int  #: that were chosen
    seconds: float  #: of CPU


class Runner:
    """Runs tests of one copy of the tree; a context manager, for the process that it starts."""

    def __init__(self, tree: Path):
        self.tree = tree
        self._server = subprocess.Popen(
            [sys.executable, "-m", "mutation.server"],
            cwd=tree,
            env=environment(tree),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.communicate()

    def try_mutant(self, mutant: Mutant, tests: Sequence[str], limit_s: float) -> Trial:
        """Run the tests on the mutant, in their order, until one fails.

        On an unchanged tree the tests must take under a third of `limit_s`: a run beyond it is a hang.
        """
        if not tests:
            return Trial(False, "", 0, 0.0)
        with changed(self.tree / mutant.path, mutant):
            return self.run(tests, limit_s)

    def run(self, tests: Sequence[str], limit_s: float) -> Trial:
        """Run tests in a process of their own. Raises RuntimeError if pytest did something else."""
        files = list(dict.fromkeys(test.partition("::")[0] for test in tests))
        with tempfile.TemporaryDirectory() as folder:
            chosen, output = Path(folder) / "chosen.json", Path(folder) / "output.txt"
            chosen.write_text(json.dumps(list(tests)), encoding="utf-8")
            wanted = {
                "arguments": [*_QUIET, *_NOT_SLOW, *files],
                "variables": {
                    "GROUNDWALK_CHOSEN": str(chosen),
                    "PYTHONDONTWRITEBYTECODE": "1",
                    "TMPDIR": folder,
                },
                "limit": int(limit_s) + 1,
                "output": str(output),
            }
            assert self._server.stdin is not None and self._server.stdout is not None
            print(json.dumps(wanted), file=self._server.stdin, flush=True)
            answer = json.loads(self._server.stdout.readline())
            said = output.read_text(encoding="utf-8", errors="replace")
        return Trial(*_verdict(answer["code"], said), len(tests), answer["seconds"])


@contextmanager
def changed(path: Path, mutant: Mutant) -> Iterator[None]:
    """A file with the change made, then as it was, its time of change included."""
    before, stat = path.read_bytes(), path.stat()
    # bytecode is looked up by seconds and size, so a mutant of the same size could be taken for the original
    cached = list((path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"))
    aside = {c: c.rename(c.with_suffix(".aside")) for c in cached}
    try:
        path.write_bytes(mutated(before, mutant))
        yield
    finally:
        path.write_bytes(before)
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
        for own, other in aside.items():
            other.rename(own)


def _verdict(code: int, said: str) -> tuple[bool, str]:
    if code == 0:
        return False, ""
    if code < 0:
        return True, "limit"
    lines = [line.partition(" ")[2] for line in said.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    failed = [line.partition(" - ")[0] for line in lines]
    if code == _FAILED and failed:
        return True, failed[0]
    if code in _BROKEN and (failed or "Error" in said):
        return True, "import"
    raise RuntimeError(f"pytest ended with {code} and neither a failed test nor a broken import:\n{said}")
