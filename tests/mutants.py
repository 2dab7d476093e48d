"""Mutants of the program, and whether the tests that are not slow notice them.

    python tests/mutants.py [--seed 0] [--count 200] [--workers 2] [--only N ...]

Draws so many changes by seed, evenly over the groups below and over the operators of `mutation/changes.py`,
makes each in a copy of the tree, and runs the tests that can notice it, the cheapest first, until one fails.
What lives is listed, unless `tests/data/equivalent_mutants.json` says why it changes nothing. Exits with 1 if
less than 95 % are killed, or if a mutant that this file calls equivalent is killed.

A mutant is named by its function and source text, and drawn by a digest of that: neither moving a file nor
changing other functions changes the draw. Which tests run which line is measured once and kept in the folder
`--work` under digests of sources and tests; of a test with many cases some are measured, and hypothesis draws
a tenth of its examples for it. What tests run in other processes is not seen by the map.

The limit of CPU time for one mutant is 60 seconds; tests are chosen until they take a third of that, so
whatever reaches the limit hangs by its mutation. So does what uses hardly any CPU time for a minute.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from queue import Queue

from mutation.changes import Mutant, Operator, differs, mutants_of, renumbered
from mutation.trial import Runner, Trial
from mutation.which_tests import TestMap, make_map, python_files

ROOT = Path(__file__).resolve().parent.parent
EQUIVALENT = ROOT / "tests" / "data" / "equivalent_mutants.json"
LIMIT_S = 60.0
WANTED = 0.95


@dataclass(frozen=True)
class Group:
    """A part of the program, and the tests that are asked about it; folders, or single files."""

    sources: tuple[str, ...]
    tests: tuple[str, ...]


def _files(pattern: str, names: str) -> tuple[str, ...]:
    paths = tuple(pattern.format(name) for name in names.split())
    if gone := [path for path in paths if not (ROOT / path).exists()]:
        sys.exit(f"not there any more, see GROUPS in {__file__}: {', '.join(gone)}")
    return paths


#: In one place: what belongs to which part.
GROUPS = {
    "kernel": Group(
        (
            "envs/pddl/simulation",
            "envs/pddl/planning/validate.py",
            *_files("envs/pddl/language/{}.py", "sexpr structure domain formulas render terms"),
        ),
        (
            "tests/envs/pddl/simulation",
            "tests/envs/pddl/planning/test_validate.py",
            "tests/envs/pddl/language",
        ),
    ),
    "EW": Group(("ew",), ("tests/ew",)),
    "search": Group(
        # without what talks to Ray: it runs in other processes, and its tests are slow by nature
        _files(
            "search/{}.py",
            "boundary executors loop memoised nodes policies process_executor",
        ),
        ("tests/search",),
    ),
    "repair": Group(("agents/repair",), ("tests/agents/repair",)),
    "learning": Group(("agents/operators",), ("tests/agents/operators",)),
    "records": Group(
        (
            *_files("experiments/runs/{}.py", "directory records ledger units seeds"),
            *_files("agents/llm/{}.py", "journal journaled"),
        ),
        (
            *_files(
                "tests/experiments/runs/test_{}.py",
                "rundir ledger streams resume recordings progress record_laws",
            ),
            *_files("tests/experiments/reporting/test_{}.py", "comparison tables"),
            *_files("tests/agents/llm/test_{}.py", "journal journaled journaled_laws recording"),
        ),
    ),
}


@dataclass(frozen=True)
class Drawn:
    """A mutant with its number in the draw."""

    number: int
    group: str
    mutant: Mutant


def draw(seed: int, count: int, root: Path) -> list[Drawn]:
    """So many mutants: the groups in turn, and in each group the operators in turn."""
    queues = {name: _in_order(name, group, seed, root) for name, group in GROUPS.items()}
    shares = [count // len(queues) + (i < count % len(queues)) for i in range(len(queues))]
    chosen = [
        (name, m)
        for (name, queue), share in zip(queues.items(), shares, strict=True)
        for m in islice(queue, share)
    ]
    return [Drawn(number, name, mutant) for number, (name, mutant) in enumerate(chosen, 1)]


def _in_order(name: str, group: Group, seed: int, root: Path) -> Iterable[Mutant]:
    files = [path for source in group.sources for path in python_files(root / source)]
    mutants = renumbered(sorted(m for path in files for m in mutants_of(path, root)))
    ranked = {operator: list[tuple[str, Mutant]]() for operator in Operator}
    for mutant in mutants:
        rank = hashlib.sha256(json.dumps([seed, name, mutant.key]).encode()).hexdigest()
        ranked[mutant.operator].append((rank, mutant))
    rows = [sorted(row) for row in ranked.values()]
    for place in range(max(len(row) for row in rows)):
        due = [row[place][1] for row in rows if place < len(row)]
        yield from (mutant for mutant in due if differs((root / mutant.path).read_bytes(), mutant))


def reasons() -> dict[tuple[object, ...], str]:
    """Why a mutant changes nothing, by its key."""
    listed = json.loads(EQUIVALENT.read_text(encoding="utf-8"))
    return {
        (e["function"], e["source"], e["operator"], e["change"], e.get("nth", 0)): e["reason"] for e in listed
    }


def copied(target: Path) -> Path:
    """A copy of the tree as it is, without what git ignores."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)
    return target


def tried(drawn: Sequence[Drawn], tests: TestMap, runners: Sequence[Runner]) -> dict[int, Trial]:
    """Each mutant's trial, by number; as many at a time as there are copies of the tree."""
    free: Queue[Runner] = Queue()
    for runner in runners:
        free.put(runner)

    def one(entry: Drawn) -> Trial:
        runner = free.get()
        try:
            found = runner.try_mutant(entry.mutant, affordable(entry.mutant, tests), LIMIT_S)
        finally:
            free.put(runner)
        print(line(entry, found), flush=True)
        return found

    with ThreadPoolExecutor(len(runners)) as pool:
        return {e.number: t for e, t in zip(drawn, pool.map(one, drawn), strict=True)}


def affordable(mutant: Mutant, tests: TestMap) -> list[str]:
    """The candidates, the cheapest first, up to a third of the limit."""
    chosen, left = [], LIMIT_S / 3
    for test in tests.candidates(mutant):
        left -= tests.seconds[test]
        if left < 0:
            break
        chosen.append(test)
    return chosen


def line(entry: Drawn, trial: Trial) -> str:
    """A mutant and what became of it."""
    m = entry.mutant
    fate = f"killed by {trial.by}" if trial.killed else f"LIVES after {trial.tests} tests"
    where = f"{m.path}:{m.lines[0]} {m.function}"
    return f"{entry.number:3} {entry.group}, {m.operator}, {where}: {m.change}: {fate}, {trial.seconds:.1f} s"


def unreliable(runner: Runner, trials: Iterable[Trial]) -> set[str]:
    """Tests that killed a mutant, and fail without one too; what they killed does not count."""
    killers = sorted({trial.by for trial in trials if "::" in trial.by})
    failing: set[str] = set()
    while killers and (found := runner.run(killers, 20 * LIMIT_S)).killed:
        failing.add(found.by)
        killers = [k for k in killers if k not in failing]
    return failing


def table(drawn: Sequence[Drawn], fates: Mapping[int, str]) -> str:
    """Killed, equivalent and living by group and operator."""
    counts = Counter(
        (place, fates[e.number]) for e in drawn for place in (e.group, str(e.mutant.operator), "all")
    )
    rows = [*GROUPS, *map(str, Operator), "all"]
    kinds = ("killed", "equivalent", "lives")
    head = f"{'':20}" + "".join(f"{kind:>12}" for kind in kinds)
    return "\n".join(
        [head, *(f"{row:20}" + "".join(f"{counts[row, kind]:12}" for kind in kinds) for row in rows)]
    )


def main() -> int:
    """Draw, try, report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=200, help="mutants to draw")
    parser.add_argument("--workers", type=int, default=2, help="mutants at a time")
    parser.add_argument("--only", type=int, nargs="+", metavar="N", help="these numbers of the draw only")
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "groundwalk-mutants")
    parser.add_argument("--list", action="store_true", help="print the draw and try nothing")
    options = parser.parse_args()
    drawn = draw(options.seed, options.count, ROOT)
    if options.only:
        drawn = [entry for entry in drawn if entry.number in options.only]
    if options.list:
        print("\n".join(line(entry, Trial(False, "", 0, 0.0)).rpartition(":")[0] for entry in drawn))
        return 0
    options.work.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=options.work) as scratch:
        first = copied(Path(scratch) / "0")
        sources = sorted({s for group in GROUPS.values() for s in group.sources})
        tests = make_map(
            first, options.work / "map", sources, sorted({t for g in GROUPS.values() for t in g.tests})
        )
        trees = [first, *(Path(scratch) / str(n) for n in range(1, options.workers))]
        for tree in trees[1:]:
            shutil.copytree(first, tree)
        with ExitStack() as stack:
            runners = [stack.enter_context(Runner(tree)) for tree in trees]
            trials = tried(drawn, tests, runners)
            doubted = unreliable(runners[0], trials.values())
    return report(drawn, trials, doubted)


def report(drawn: Sequence[Drawn], trials: Mapping[int, Trial], doubted: set[str]) -> int:
    """Print the table and what is left to do; the exit code."""
    known, fates, wrong = reasons(), dict[int, str](), 0
    for entry in drawn:
        trial, reason = trials[entry.number], known.get(entry.mutant.key)
        fates[entry.number] = (
            "killed" if trial.killed and trial.by not in doubted else "equivalent" if reason else "lives"
        )
        if reason and fates[entry.number] == "killed":
            wrong += 1
            print(f"called equivalent, and killed: {line(entry, trial)}")
    for test in sorted(doubted):
        print(f"fails without a mutant: {test}")
    for entry in drawn:
        if fates[entry.number] == "lives":
            print(line(entry, trials[entry.number]))
    print(table(drawn, fates))
    print(f"CPU: {sum(t.seconds for t in trials.values()):.0f} s")
    kills = sum(fate == "killed" for fate in fates.values())
    return int(kills < WANTED * len(drawn) or wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
