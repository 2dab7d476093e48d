"""`python -m experiments.run goals --domain D --problem P --goals FILE --plan FILE`: the goal of a plan.

    goals --domain d.pddl --problem p.pddl --goals hyps.dat --plan obs.dat
    goals --archive blocks-world_p01_hyp-1_30_1.tar.bz2 --methods relaxed landmarks cost-difference

Any PDDL domain, true or learned. FILE of --goals has one candidate a line, a conjunction of ground
literals; that of --plan one operator a line, in order, with gaps and noise (`agents.goals.candidates`). The
problem's own goal does not count. An archive is a folder or a tar file of the public form: `domain.pddl`,
`template.pddl`, `hyps.dat`, `obs.dat` and, if the goal is known, `real_hyp.dat`.

Prints for each method the candidates by probability, with their places: tied ones share one. The exit code
is 0, or 1 if a method had no answer for some candidate.
"""

from __future__ import annotations

import re
import tarfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from agents.goals.candidates import Candidate, Ranking, read_candidates, read_observations
from agents.goals.cost_difference import NEAR_OPTIMAL, PlannerFailed
from envs.pddl.language.domain import Problem, read_domain, read_problem
from envs.pddl.language.issues import PDDLError
from envs.pddl.planning.planner import Planner
from envs.pddl.simulation.grounding import GroundingExploded
from experiments.config import EXIT_MACHINE, EXIT_UNANSWERED, ConfigError, Positive, fail, parse_job
from experiments.reporting.display import rich_table, wide_console
from experiments.reporting.tables import Table, cell
from experiments.runs.directory import to_json
from experiments.studies.goals.recognition import RANKERS, Method

#: What an archive holds, by the flags that name the same file.
_ARCHIVED = {
    "domain": "domain.pddl",
    "problem": "template.pddl",
    "goals": "hyps.dat",
    "plan": "obs.dat",
    "wanted": "real_hyp.dat",
}
#: Stands in a template for the goal, alone or in a conjunction.
_HYPOTHESIS = re.compile(r"<\s*hypothesis\s*>", re.IGNORECASE)


@dataclass(frozen=True)
class RecogniseConfig:
    """Recognise the goal of a plan of yours, in any PDDL domain. No language model is asked."""

    domain: Path | None = None
    """The domain, true or learned."""
    problem: Path | None = None
    """Objects and what held at first; its goal does not count."""
    goals: Path | None = None
    """Candidates, one a line: (on a b), (on b c)."""
    plan: Path | None = None
    """The operators seen, one a line."""
    wanted: Path | None = None
    """The agent's goal, if it is known: one of the candidates; its place is printed."""
    archive: Path | None = None
    """All of these in one: a folder or a tar file of the public archives' form."""
    methods: tuple[Method, ...] = ("relaxed", "landmarks")
    """How candidates are ranked; cost-difference asks the planner twice for each."""
    planner: str | None = None
    """Your own build of Fast Downward; default: the one in the up-fast-downward wheel."""
    planner_wall_s: Positive = 60.0
    """Seconds that one call of the planner may take; a plan that takes longer is no answer."""
    out: Path | None = None
    """A file for the rankings, as JSON."""


def main(arguments: Sequence[str]) -> int:
    """Recognise a goal; returns the exit code. Raises ConfigError, PlannerMissing, OSError."""
    config = parse_job(RecogniseConfig, "goals", arguments)
    texts = _texts(config)
    planner = Planner(config.planner, wall_s=config.planner_wall_s, search=NEAR_OPTIMAL)
    if "cost-difference" in config.methods:
        planner.check()
    try:
        problem = read_problem(
            _HYPOTHESIS.sub("", texts["problem"]), read_domain(texts["domain"], "the domain"), "the problem"
        )
        candidates = read_candidates(texts["goals"], problem, "the goals")
        observed = read_observations(texts["plan"], "the plan")
        wanted = _wanted(texts.get("wanted"), candidates, problem)
    except PDDLError as error:
        raise ConfigError(error.brief()) from error
    except ValueError as error:
        raise ConfigError(str(error)) from error
    console, found = wide_console(), dict[str, Ranking]()
    for method in config.methods:
        began = time.perf_counter()
        try:
            found[method] = RANKERS[method](problem, candidates, observed, planner)
        except GroundingExploded as error:
            raise ConfigError(f"the domain cannot be ground: {error}") from error
        except PlannerFailed as error:
            return fail(str(error), EXIT_MACHINE)
        seconds = time.perf_counter() - began
        console.print(rich_table(_table(method, found[method], candidates, wanted, seconds)))
        if found[method].unused:
            left = f"left out, as no operator of the task: {', '.join(found[method].unused)}"
            console.print(left, soft_wrap=True, markup=False)
    if config.out is not None:
        config.out.write_text(to_json(_record(found, candidates, wanted)), encoding="utf-8")
    silent = any(p is None for ranking in found.values() for p in ranking.probabilities)
    return EXIT_UNANSWERED if silent else 0


def _texts(config: RecogniseConfig) -> Mapping[str, str]:
    """The texts by flag. Raises ConfigError for files that are missing or cannot be read."""
    given = {name: path for name in _ARCHIVED if (path := getattr(config, name)) is not None}
    if config.archive is not None:
        if given:
            raise ConfigError(f"--archive holds everything; leave out --{' --'.join(given)}")
        return _archived(config.archive)
    missing = [f"--{name}" for name in _ARCHIVED if name not in given and name != "wanted"]
    if missing:
        raise ConfigError(f"give {' '.join(missing)} too, or --archive")
    return {name: _decoded(_bytes(path), path) for name, path in given.items()}


def _archived(path: Path) -> Mapping[str, str]:
    """The texts of an archive. Raises ConfigError."""
    if path.is_dir():
        found = {name: _bytes(path / file) for name, file in _ARCHIVED.items() if (path / file).is_file()}
    else:
        found = _unpacked(path)
    missing = [file for name, file in _ARCHIVED.items() if name not in found and name != "wanted"]
    if missing:
        raise ConfigError(f"--archive {path} lacks {', '.join(missing)}")
    return {name: _decoded(data, path / _ARCHIVED[name]) for name, data in found.items()}


def _unpacked(path: Path) -> dict[str, bytes]:
    """The files of a tar archive that count, wherever in it they are; nothing is written to disk."""
    found: dict[str, bytes] = {}
    try:
        with tarfile.open(path) as archive:
            for member in archive:
                name = PurePosixPath(member.name).name
                data = archive.extractfile(member) if member.isfile() else None
                for flag, file in _ARCHIVED.items():
                    if data is not None and file == name:
                        found[flag] = data.read()
    except (OSError, tarfile.TarError, EOFError) as error:
        raise ConfigError(f"--archive {path} cannot be read: {error}") from error
    return found


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error


def _decoded(data: bytes, path: Path) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8: {error}") from error


def _wanted(text: str | None, candidates: Sequence[Candidate], problem: Problem) -> int | None:
    """The place of the agent's goal. Raises ValueError if it is none of the candidates."""
    if text is None:
        return None
    (own,) = read_candidates(text, problem, "the agent's goal", least=1)[:1]
    if own not in candidates:
        raise ValueError(f"the agent's goal is none of the candidates: {own}")
    return list(candidates).index(own)


def _table(
    method: str, found: Ranking, candidates: Sequence[Candidate], wanted: int | None, seconds: float
) -> Table:
    places = found.places()
    order = sorted(range(len(candidates)), key=lambda i: (places[i] is None, places[i] or 0, i))
    rows = tuple(
        (
            cell(places[i]),
            "no answer" if (p := found.probabilities[i]) is None else f"{p:.3f}",
            str(candidates[i]) + ("  ; the agent's" if i == wanted else ""),
        )
        for i in order
    )
    return Table(f"{method}, {seconds:.2f} s", ("place", "probability", "candidate"), rows)


def _record(
    found: Mapping[str, Ranking], candidates: Sequence[Candidate], wanted: int | None
) -> dict[str, object]:
    return {
        "candidates": list(map(str, candidates)),
        "wanted": wanted,
        "methods": {
            method: {"probabilities": r.probabilities, "places": r.places(), "unused": r.unused}
            for method, r in found.items()
        },
    }
