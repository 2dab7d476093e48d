"""Runs pytest again and again in forks of one process that has large packages loaded: a second saved a run.

Started with the copy of the tree as its folder. Reads one JSON object a line: `arguments` of pytest,
`variables` of the environment, `limit` (CPU seconds of a process), `output` (a file). Answers a line: `code`
(negative: the signal that ended it) and `seconds` (of CPU, with waited-for children).
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

_LARGE = ("clingo", "hypothesis", "igraph", "numpy", "openai", "pytest", "tarski.io", "tarski.syntax")

#: With less CPU time than this in so many seconds of wall time, a run of tests waits for ever.
IDLE_S, IDLE_CPU_S = 60.0, 0.5


def main() -> None:
    """Serve until standard input ends."""
    for name in _LARGE:
        import_module(name)
    for line in sys.stdin:
        wanted = json.loads(line)
        child = os.fork()
        if not child:
            _run(wanted)
        print(json.dumps(_waited_for(child)), flush=True)


def _run(wanted: dict[str, Any]) -> None:
    """The child: does not return."""
    import pytest

    os.setsid()
    file = os.open(wanted["output"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    null = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((null, 0), (file, 1), (file, 2)):
        os.dup2(source, target)
    # the soft limit alone: planners that tests call set limits of their own, and could not raise a hard one
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (wanted["limit"], hard))
    os.environ.update(wanted["variables"])
    sys.dont_write_bytecode = True
    code = 3
    try:
        code = int(pytest.main(wanted["arguments"]))
    finally:
        sys.stdout.flush()
        os._exit(code)


def _waited_for(child: int) -> dict[str, float]:
    """The child's end. It is killed once it has used hardly any CPU time in `IDLE_S`: it waits for ever.

    However busy the machine is, a process that has work to do gets more within that time. One that waits may
    wake up now and then, to log that it waits.
    """
    before, since = _cpu_ticks(child), time.monotonic()
    while True:
        done, status, used = os.wait4(child, os.WNOHANG)
        if done:
            break
        if time.monotonic() - since > IDLE_S:
            if (now := _cpu_ticks(child)) - before < IDLE_CPU_S * os.sysconf("SC_CLK_TCK"):
                os.killpg(child, signal.SIGKILL)
            before, since = now, time.monotonic()
        time.sleep(0.02)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)  # what the tests left behind
    return {"code": os.waitstatus_to_exitcode(status), "seconds": round(used.ru_utime + used.ru_stime, 2)}


def _cpu_ticks(process: int) -> int:
    """CPU time of a process and of the children that it waited for."""
    fields = (
        Path(f"/proc/{process}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
    )
    return sum(int(field) for field in fields[11:15])


if __name__ == "__main__":
    main()
