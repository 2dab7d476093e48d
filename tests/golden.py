"""The golden record: what the programs gave before a change, held against what they give now.

    python tests/golden.py                                 compare; exit code 1 if anything differs
    python tests/golden.py --only main walks               some parts
    python tests/golden.py --only tic --write              record anew what was changed on purpose

The record lies in `tests/data/golden/`, a folder for each part, all of it text. Nothing in it depends on the
machine, on PYTHONHASHSEED, or on the number of workers. No server is asked. A part is printed as `equal`, or
with its first difference. Parts run `--workers` at a time, each in processes of its own.

Of a job the record has its tables, models and requests (`golden_jobs`). Whole are `main`, `seeds`, `walks`
(all worlds, three estimators), `repairs-0` to `repairs-2` (all worlds, a seed each), `planetarium` and
`old-runs` (two run directories of an earlier version). All other parts are selections of what the documented
commands do, which take hours together: one or two worlds, one or two tasks, few samples; what each runs is in
PARTS.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import MappingProxyType

from golden_compare import first_difference
from golden_jobs import ROOT, UNCOMPARED, Broken, Job, Library, old_runs

RECORD = ROOT / "tests" / "data" / "golden"
#: Writes what a part records into the first folder, working in the second; the seconds of CPU it took.
Part = Callable[[Path, Path], float]

#: No plan of a study, and no repair, takes as long, so that none is cut off by the clock.
UNHURRIED = "--planner-wall-s 600"
UNHURRIED_REPAIR = f"--wall-s 3600 {UNHURRIED}"
#: A simulated language model, which asks and answers as the same seed does anywhere.
WEAK = "--model simulated:weak"

#: What the ablation compares: refinement, without each of its parts, and Algorithm 1 with one candidate.
ABLATION = (
    "refine refine-no-problems refine-no-plans refine-no-diagnosis refine-no-memory refine-one-task "
    "refine-algorithm1 chain"
)

#: The parts, the longest first.
PARTS: Mapping[str, Part] = MappingProxyType(
    {
        "repairs-0": Library("repairs-0"),
        "repairs-1": Library("repairs-1"),
        "ablation": Job(f"study-ablation --method {ABLATION} --env blocksworld_ood+undocumented --tasks 1"),
        "main": Job(""),
        "operators": Job("operators --counts 1 10 --repeats 1 --walks 20 --tasks 1"),
        "goals": Job("goals --llm-tasks 2 --four 2 --single 2 --learned-from 10 --planner-wall-s 600"),
        "table2": Job(
            "table2 --llm recorded --protocol apart --tasks 1 --env barman grippers_ood+undocumented"
        ),
        "repairs-2": Library("repairs-2"),
        "tic": Job("tic --tasks 1 --env barman floortile"),
        "study-repair": Job(
            f"study-repair --samples 1 --env movie --seen 1 --unseen 1 --walks 200 {UNHURRIED_REPAIR}"
        ),
        "old-runs": old_runs,
        "worldmodel": Job("worldmodel --tasks 1 --env household grippers_ood+outlined"),
        "simulated": Job(f"table2 {WEAK} --env movie --seeds 0 --tasks 1 --np 2 --nd 2 --turns 2"),
        "study-detection": Job(f"study-detection --env grippers --mutants 3 --saturated {UNHURRIED}"),
        "study-removal": Job(f"study-removal --env movie --samples 1 --pairs 4 {UNHURRIED}"),
        "planetarium": Job("planetarium"),
        "translations": Job(f"planetarium {WEAK} --tasks 4"),
        "refine": Job("--recording refine --env grippers_ood+undocumented --tasks 1"),
        "chain": Job("--method chain --env movie --tasks 2"),
        "intrinsic": Job("--method intrinsic intrinsic-cot --env childsnack --tasks 2"),
        "repair": Job(f"repair --env termes --break 3 --tasks 1 --tried 2 {UNHURRIED_REPAIR}", serial=False),
        "learn": Job("learn --env termes --walks 10", serial=False),
        "walks": Library("walks"),
        "seeds": Library("seeds"),
    }
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare or write the parts of a command line; 0 if all are equal or written, else 1."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="write the record instead of comparing with it")
    parser.add_argument("--only", nargs="+", choices=list(PARTS), default=list(PARTS), metavar="PART")
    parser.add_argument("--workers", type=int, default=2, help="parts at a time")
    given = parser.parse_args(arguments)
    wanted = [name for name in PARTS if name in given.only]
    with ThreadPoolExecutor(max(1, given.workers)) as pool:
        fine = list(pool.map(lambda name: _done(name, write=given.write), wanted))
    print(f"{sum(fine)} of {len(fine)} parts are {'written' if given.write else 'equal'}")
    return 0 if all(fine) else 1


def _done(name: str, *, write: bool) -> bool:
    """Make one part and write it, or compare it; whether that went well. Prints a line."""
    with tempfile.TemporaryDirectory(prefix="golden-") as folder:
        made, scratch = Path(folder) / "made", Path(folder) / "scratch"
        made.mkdir()
        scratch.mkdir()
        try:
            spent = PARTS[name](made, scratch)
        except Broken as error:
            print(f"{name}: {error}", flush=True)
            return False
        if write:
            _write(made, RECORD / name)
            print(f"{name}: written ({spent:.0f} s of CPU)", flush=True)
            return True
        excerpts = _excerpts(made)
        difference = first_difference(files_of(RECORD / name), files_of(made), excerpts)
    print(f"{name}: {difference or 'equal'} ({spent:.0f} s of CPU)", flush=True)
    return difference is None


def files_of(folder: Path) -> dict[str, str]:
    """The texts of a part by their paths in its folder; those that are not compared are left out."""
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in paths
        if not path.name.startswith(UNCOMPARED)
    }


def _excerpts(made: Path) -> dict[str, str]:
    """The last message of every request, by SHA-256."""
    return {
        name: text
        for path in made.rglob(f"{UNCOMPARED}requests.json")
        for name, text in json.loads(path.read_text(encoding="utf-8")).items()
    }


def _write(made: Path, target: Path) -> None:
    """Put what was made in the place of what is recorded."""
    if target.exists():
        shutil.rmtree(target)
    for name, text in files_of(made).items():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_text(text, encoding="utf-8", newline="")


if __name__ == "__main__":
    sys.exit(main())
