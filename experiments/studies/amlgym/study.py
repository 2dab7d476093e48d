"""`python -m experiments.run amlgym`: our learner of operators beside published ones, on AMLGym's domains.

    amlgym                                      whole states: groundwalk, OffLAM, NOLAM and SAM
    amlgym --hidden 0.5 --learner groundwalk offlam
    amlgym --flipped 0.05 --learner groundwalk nolam
    amlgym --solve 2 --states 3                 problem solving and applicability, too: minutes

Needs the extra `amlgym`. Precision and recall are AMLGym's: literals of preconditions and effects in the
learned and in the reference domain, averaged over actions. EW is between the two domains, over walks in the
problems that are to be solved. Every learner is handed the domain's declarations without its rules, and the
same trajectories. Writes `amlgym.json`: the versions, the command line and a row for each domain and learner.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.language.issues import PDDLError
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.grounding import GroundingExploded
from ew.score.config import EWConfig
from ew.score.score import ew_score
from experiments.config import ConfigError, Count, parse_job
from experiments.reporting.display import rich_table, wide_console
from experiments.reporting.tables import Table
from experiments.runs.seeds import stream
from experiments.studies.amlgym.benchmark import Benchmark, benchmarks, degraded, without_rules
from experiments.studies.amlgym.learners import LEARNERS, WHOLE_ONLY, learned
from experiments.studies.repair.cases import new_folder

#: Packages whose versions are kept with the figures.
_VERSIONS = ("groundwalk", "amlgym", "offlam", "nolam", "n-sam", "numpy")


@dataclass(frozen=True)
class AmlgymConfig:
    """Compare our learner of operators with published ones on AMLGym's domains."""

    domain: tuple[str, ...] = ()
    """Domains of AMLGym; default: all that it has trajectories of."""
    learner: tuple[str, ...] = ("groundwalk", "offlam", "nolam", "sam")
    """Learners, `rosame` among them: it takes minutes a domain."""
    hidden: float = 0.0
    """Share of the observed atoms that are hidden."""
    flipped: float = 0.0
    """Share of the observed atoms that are flipped; learners that allow for noise are given the share."""
    problems: Count = 2
    """Problems that EW is taken in."""
    walks: Count = 200
    """Walks of one EW score."""
    solve: int = 0
    """Problems to be solved, by AMLGym's metric, a minute at most each."""
    states: int = 0
    """States, one of a problem, in which applicability is predicted, by AMLGym's metric."""
    seed: int = 0
    """Everything random follows from it."""
    out: Path | None = None
    """A new folder; default: runs/amlgym, numbered if that is there."""


@dataclass(frozen=True)
class Row:
    """What one learner made of one domain; None is what was not or could not be measured."""

    domain: str
    learner: str
    seconds: float  #: of processor time for learning
    failure: str = ""
    precision: float | None = None
    recall: float | None = None
    precondition_precision: float | None = None  #: of positive ones
    ew: float | None = None
    solved: float | None = None
    applicable_precision: float | None = None
    applicable_recall: float | None = None


_MEASURES = tuple(Row.__dataclass_fields__)[4:]


def main(arguments: Sequence[str]) -> int:
    """Do the job of a command line; returns the exit code. Raises ConfigError, OSError."""
    config = parse_job(AmlgymConfig, "amlgym", arguments)
    wrong = [name for name in config.learner if name not in LEARNERS]
    if wrong:
        raise ConfigError(f"--learner {wrong[0]}: there are {', '.join(LEARNERS)}")
    if config.hidden and WHOLE_ONLY.intersection(config.learner):
        raise ConfigError(f"--hidden: {', '.join(sorted(WHOLE_ONLY))} read whole states alone; name others")
    if not (0 <= config.hidden < 1 and 0 <= config.flipped < 0.5):
        raise ConfigError("--hidden must be in [0, 1), and --flipped in [0, 0.5)")
    wanted = benchmarks(config.domain)
    folder = new_folder(config.out, "amlgym")
    console = wide_console()
    rows = []
    for benchmark in wanted:
        for row in _rows(benchmark, config):
            rows.append(row)
            console.print(f"{row.domain} {row.learner}: {row.failure or 'learned'}", soft_wrap=True)
    data = {
        "versions": {name: version(name) for name in _VERSIONS},
        "command": " ".join(["python -m experiments.run amlgym", *arguments]),
        "rows": [asdict(row) for row in rows],
    }
    (folder / "amlgym.json").write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    console.print(rich_table(_table(rows, config.learner)))
    console.print(str(folder), soft_wrap=True)
    return 0


def _rows(benchmark: Benchmark, config: AmlgymConfig) -> Iterator[Row]:
    """A row for each learner of one domain."""
    with TemporaryDirectory() as scratch:
        paths = benchmark.trajectories
        if config.hidden or config.flipped:
            rng = stream(config.seed, "amlgym", benchmark.name)
            paths = degraded(benchmark, Path(scratch), rng, hidden=config.hidden, flipped=config.flipped)
        empty = Path(scratch) / "domain.pddl"
        empty.write_text(without_rules(benchmark.domain.read_text(encoding="utf-8")), encoding="utf-8")
        for name in config.learner:
            found = learned(name, empty, paths, config.flipped)
            if found.domain is None:
                yield Row(benchmark.name, name, round(found.seconds, 3), found.failure)
                continue
            model = Path(scratch) / f"{name}.pddl"
            model.write_text(found.domain, encoding="utf-8")
            measures: dict[str, Any] = _syntactic(model, benchmark) | _solving(model, benchmark, config.solve)
            measures |= _applicability(model, benchmark, config.states)
            row = Row(benchmark.name, name, round(found.seconds, 3), ew=_ew(found.domain, benchmark, config))
            yield replace(row, **measures)


def _syntactic(model: Path, benchmark: Benchmark) -> dict[str, float]:
    """AMLGym's precision and recall, which it rounds to two places for each domain."""
    from amlgym.metrics import syntactic_precision, syntactic_recall

    reference = model.with_name("reference.pddl")  # the metric writes beside what it reads
    reference.write_text(benchmark.domain.read_text(encoding="utf-8"), encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        precision = syntactic_precision(str(model), str(reference))
        recall = syntactic_recall(str(model), str(reference))
    return {
        "precision": float(precision["mean"]),
        "recall": float(recall["mean"]),
        "precondition_precision": float(precision["precs_pos"]),
    }


def _ew(model: str, benchmark: Benchmark, config: AmlgymConfig) -> float | None:
    """The mean EW over problems; None if the domain cannot be read, or some problem has no score."""
    scores = []
    try:
        true, candidate = read_domain(benchmark.domain.read_text(encoding="utf-8")), read_domain(model)
        for path in benchmark.problems[: config.problems]:
            text = path.read_text(encoding="utf-8")
            world, other = (compile_task(read_problem(text, domain)) for domain in (true, candidate))
            rng = stream(config.seed, "amlgym-ew", benchmark.name, path.name)
            found = ew_score(world, other, rng, EWConfig(walks=config.walks, estimator="survival"))
            scores.append(found.score)
    except (PDDLError, GroundingExploded):
        return None
    known = [score for score in scores if score is not None]
    return round(fmean(known), 4) if known and len(known) == len(scores) else None


def _solving(model: Path, benchmark: Benchmark, problems: int) -> dict[str, float]:
    """The share of problems solved with plans that the reference domain accepts."""
    if not problems:
        return {}
    from amlgym.metrics import problem_solving

    paths = list(map(str, benchmark.problems[:problems]))
    found = problem_solving(str(model), str(benchmark.domain), paths, timeout=60, show_progress=False)
    return {"solved": float(found["solving_ratio"])}


def _applicability(model: Path, benchmark: Benchmark, states: int) -> dict[str, float]:
    """How well it is predicted which operators run, in the middle state of so many problems each."""
    if not states:
        return {}
    from amlgym.benchmarks import get_problems_path, get_test_states
    from amlgym.metrics import applicability
    from amlgym.modeling.UPEnv import UPEnv

    tests = get_test_states(benchmark.name)
    paths = [p for p in get_problems_path(benchmark.name, "predictive_power") if Path(p).name in tests]
    paths = paths[:states]
    ours, true = ([UPEnv(str(d), p) for p in paths] for d in (model, benchmark.domain))
    seen = [[tests[Path(p).name][len(tests[Path(p).name]) // 2]] for p in paths]
    found = applicability(ours, true, seen, show_progress=False)
    return {
        "applicable_precision": float(found["mean_precision"]),
        "applicable_recall": float(found["mean_recall"]),
    }


def _table(rows: Sequence[Row], learners: Sequence[str]) -> Table:
    """A row for each learner: means over the domains in which all of them learned something."""
    failed = {row.domain for row in rows if row.failure}
    lines = []
    for name in learners:
        own = [row for row in rows if row.learner == name and row.domain not in failed]
        cells = [_mean([getattr(row, measure) for row in own]) for measure in (*_MEASURES, "seconds")]
        lines.append((name, str(len(own)), *cells))
    columns = ("learner", "domains", *(measure.replace("_", " ") for measure in (*_MEASURES, "seconds")))
    notes = [f"{row.domain}: {row.learner} failed: {row.failure}." for row in rows if row.failure]
    return Table("Learning operators on AMLGym's domains", columns, tuple(lines), tuple(notes))


def _mean(values: Sequence[float | None]) -> str:
    """The mean of what was measured, with how many were not."""
    known = [value for value in values if value is not None]
    missing = len(values) - len(known)
    return f"{fmean(known):.3f}{f' ({missing} not)' if missing else ''}" if known else "–"
