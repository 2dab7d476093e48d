"""`python -m experiments.run learn`: operators of a world, learned from walks in it or from traces of yours.

    learn --env termes                                  walks in the world, whose states are seen as facts
    learn --env termes --tasks 1 2 3 --score-on 4 5 6   walks in these tasks, and EW on others
    learn --traces d.jsonl.gz more.csv --words d.pddl   traces from files; a table needs the words of a domain
    learn --traces *_traj --words d.pddl --noise 0.05   trajectories of AMLGym, 5 % of the atoms flipped
    learn --env termes --check mine.pddl                does a domain explain what was seen?

Walks are made in several tasks, and learned from together, in turns: what was learned says where to walk next
(`agents.operators.turns`). What none of them can show is not learned: a figure about a learned domain is one
on tasks that were not walked in (--score-on). Walks are bounded by --walks, by --queries, by --wall-s and by
--max-world-steps. Each turn prints a line.

Writes `domain.pddl`, `operators.md` (of each operator what is proven, what is open, what nothing explains)
and `traces.jsonl.gz` into a new folder; with --check, `check.md` too: every step that the domain of yours
does not explain, and every action that ran and that it does not have. The exit code is 0 if all that was
seen is explained, else 1; with --noise it is 0. No language model is asked.

The domain has the name, the functions and the costs of the world's, and all of its actions: problems of yours
go with it, and `repair --env ENV --domain domain.pddl --problem p01.pddl` continues from it. An action that
never ran stands there without preconditions and effects.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console

from agents.operators.exploration import Exploration, Explored, Explorer, explored
from agents.operators.learner import Bias, learn_operators
from agents.operators.lifted import Operator, domain_of, shown_problem, without_rules
from agents.operators.matching import violations
from agents.operators.reading import operators_of
from agents.operators.symbolic import learn_symbolically
from agents.operators.turns import TURNS, learn_in_turns
from envs.pddl.language.domain import read_domain, read_problem, read_vocabulary
from envs.pddl.language.issues import PDDLError
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.grounding import GroundingExploded
from envs.pddl.traces.files import import_csv, load_traces, save_traces
from envs.pddl.traces.trace import TraceError, Traces
from envs.pddl.traces.trajectories import import_trajectory, is_trajectory
from envs.plugins import BrokenPlugin
from envs.source import WorldNotFound, canonical_name, task_named
from envs.world import open_world
from ew.score.config import EWConfig
from ew.score.score import EWVerdict, ew_score
from ew.score.shown import shown
from ew.walks.adapter import transitions_of
from ew.walks.budget import SimulatorCost
from experiments.config import ConfigError, Count, Positive, parse_job
from experiments.driver.command import renamed_flags
from experiments.reporting.display import wide_console
from experiments.runs.progress import simulators_shown
from experiments.runs.records import world_label
from experiments.runs.seeds import stream
from experiments.runs.units import feedback_task
from experiments.studies.repair.cases import make_folder, new_folder

#: Flags under their former names.
_FORMER = {"--task": "--tasks"}
#: Tasks that are walked in at most, if none are named.
_TASKS = 3
#: Walks that a learned domain is scored by in a task.
_SCORED_BY = EWConfig(walks=400)
#: Why a domain has no score.
_UNSCORED = {
    EWVerdict.NO_INITIAL_ACTION: ": none of the learned actions can run at its start",
    EWVerdict.WORLD_STUCK: ": nothing can be done in the world",
}
#: Unexplained steps that are shown; all of them are written.
_SHOWN = 10


@dataclass(frozen=True)
class LearnConfig:
    """Learn operators from walks or from traces. No language model is asked."""

    env: str | None = None
    """A world that shows its states, to walk in."""
    tasks: tuple[str, ...] = ()
    """The tasks that are walked in, each a number, or a name such as example, f01 or g7. Default: up to three
    of the feedback pool, or else 1, 2, 3, as far as they are there."""
    score_on: tuple[str, ...] = ()
    """Other tasks that EW is taken on, of the learned domain without the actions that never ran."""
    traces: tuple[Path, ...] = ()
    """Files of traces instead: JSON lines, gzipped or not, CSV tables, or AMLGym's trajectories."""
    words: Path | None = None
    """For CSV tables and trajectories: a domain whose declarations say what may be named."""
    bias: Annotated[Bias, tyro.conf.EnumChoicesFromValues] = Bias.LEAN
    """Which conditions are kept that nothing decides (agents/operators/learner.py)."""
    noise: float = 0.0
    """How likely an observation of an atom is flipped: with it, what is most likely is learned."""
    by_name: bool = False
    """Learn as if the arguments of actions were not known, as published."""
    lenient: bool = False
    """Leave out what cannot be read or contradicts itself, and list it."""
    check: Path | None = None
    """A domain of yours, to be held against the traces."""
    walks: Count = 40
    """Walks in each task; further turns add walks to actions that seldom ran, within --queries."""
    turns: Count = TURNS
    """Turns of walking and learning; 1: all walks are made before anything is learned."""
    length: Count = 20
    """Steps of each."""
    max_world_steps: Count | None = None
    """Steps that a simulator may make for all walks; a world that is walked in batches is none."""
    queries: Count = 4000
    """States of each task that are asked about at most; walks end there."""
    wall_s: Positive = 600.0
    """Seconds after which walks end and no turn is begun; what was seen until then is learned from."""
    observed: Positive = 1.0
    """How likely each atom of a state is seen; below 1, states are partial."""
    seed: int = 0
    """Everything random follows from it."""
    out: Path | None = None
    """A new folder; default: runs/learn-NAME, numbered if that is there."""


def main(arguments: Sequence[str]) -> int:
    """Do the job of a command line; returns the exit code. Raises ConfigError, OSError."""
    config = parse_job(LearnConfig, "learn", renamed_flags(arguments, _FORMER))
    console = wide_console()
    if config.out is not None:
        make_folder(config.out)  # before anything is walked
    try:
        checked = None if config.check is None else _operators_of(config.check)
        with simulators_shown(console):
            traces, simulator = _traces(config, console)
        if config.by_name:
            learned = learn_symbolically(traces, lenient=config.lenient)
        else:
            learned = learn_operators(traces, config.bias, lenient=config.lenient, noise=config.noise)
    except (TraceError, WorldNotFound, BrokenPlugin, PDDLError, TypeError) as error:
        raise ConfigError(str(error)) from error
    except (FileNotFoundError, IsADirectoryError) as error:
        raise ConfigError(f"{error.filename}: it cannot be read: {error.strerror}") from error
    wrong = [*violations(learned, traces), *(text for o in learned for text in o.unexplained)]
    unexplained = [*map(str, traces.faults), *wrong]
    folder = new_folder(
        config.out, f"learn-{world_label(config.env or str(config.traces[0]))}".replace(":", "_")
    )
    save_traces(folder / "traces.jsonl.gz", traces)
    unseen = without_rules(traces.vocabulary, learned)
    domain = domain_of(traces.vocabulary, [*learned, *unseen], costs=True)
    (folder / "domain.pddl").write_text(domain, encoding="utf-8")
    (folder / "operators.md").write_text(_in_words(learned, unseen, wrong), encoding="utf-8")
    if checked is not None:
        unexplained = [*map(str, traces.faults), *_lacking(checked, traces), *violations(checked, traces)]
        (folder / "check.md").write_text(
            "".join(f"- {text}\n" for text in unexplained) or "Everything is explained.\n", encoding="utf-8"
        )
    of = "" if config.check is None else f" by {config.check}"
    counts = f"{traces.steps} steps, {len(learned)} operators learned, {len(unexplained)} not explained{of}"
    console.print(f"{counts}: {folder}", soft_wrap=True)
    if simulator is not None:
        console.print(str(simulator), soft_wrap=True)
    for text in (*unexplained[:_SHOWN], *_scored(config, domain_of(traces.vocabulary, learned, costs=True))):
        console.print(text, soft_wrap=True)
    # of flipped observations no rule explains all, and none is asked to
    return 1 if unexplained and not config.noise else 0


def _traces(config: LearnConfig, console: Console) -> tuple[Traces, SimulatorCost | None]:
    """The traces asked for, and what a simulator did. Raises ConfigError, and as reading and opening do."""
    if (config.env is None) == (not config.traces):
        raise ConfigError("say what to learn from: --env for walks in a world, or --traces for files")
    if config.score_on and config.env is None:
        raise ConfigError("--score-on is for walks in a world: give --env")
    if config.observed > 1 or config.seed < 0:
        raise ConfigError("--observed must be at most 1, and --seed must not be negative")
    if not 0 <= config.noise < 0.5 or (config.noise and config.by_name):
        raise ConfigError("--noise must be in [0, 0.5), and is not for --by-name")
    if config.env is not None:
        found = _explored(config, console)
        return found.traces, found.simulator
    read = [_file(path, config) for path in config.traces]
    first = read[0].vocabulary
    if any(traces.vocabulary != first for traces in read):
        raise ConfigError("--traces: the files declare different words; learn from them one by one")
    faults = tuple(fault for traces in read for fault in traces.faults)
    every = tuple(trace for traces in read for trace in traces.traces)
    return Traces(first, every, faults, all(traces.refusals_searched for traces in read)), None


def _explored(config: LearnConfig, console: Console) -> Explored:
    """What walks in the tasks show; in turns where states are seen whole and arguments are known."""
    env = canonical_name(config.env or "")
    tasks = tuple(map(task_named, config.tasks)) or _usual_tasks(env)
    if len(tasks) == 1:
        console.print(f"one task only, {tasks[0]}: what it cannot show is not learned", soft_wrap=True)
    steps = None if config.max_world_steps is None else -(-config.max_world_steps // len(tasks))
    settings = Exploration(
        config.walks,
        config.length,
        queries=config.queries,
        observed=config.observed,
        max_world_steps=steps,
        wall_s=config.wall_s,
    )
    for task in map(task_named, config.score_on):
        open_world(env, task)  # before anything is walked
    worlds = [open_world(env, task) for task in tasks]
    streams = [stream(config.seed, "learn", world_label(env), task) for task in tasks]
    try:
        explorers = [Explorer(world, rng, settings) for world, rng in zip(worlds, streams, strict=True)]
    except ValueError as error:  # more operators than can be listed
        raise ConfigError(f"{env} cannot be walked in: {error}; name smaller tasks with --tasks") from error
    report = partial(console.print, soft_wrap=True)
    if config.observed < 1 or config.by_name or config.noise:
        for explorer in explorers:
            explorer.wander(config.walks)
        if any(explorer.is_late for explorer in explorers):
            report("time is up: not all walks were made")
    else:
        learn_in_turns(explorers, config.bias, turns=config.turns, report=report)
    return explored(explorers)


def _usual_tasks(env: str) -> tuple[int | str, ...]:
    """The tasks that are walked in if none are named. Raises as opening the first of them."""
    for names in (tuple(map(feedback_task, range(1, _TASKS + 1))), range(1, _TASKS + 1)):
        there = list[int | str]()
        for name in names:
            try:
                open_world(env, name)
            except WorldNotFound:
                break
            there.append(name)
        if there:
            return tuple(there)
    open_world(env, 1)  # says what is wrong
    return (1,)


def _scored(config: LearnConfig, domain: str) -> Iterator[str]:
    """EW of a learned domain in each task that it is to be scored on, in a line."""
    model = read_domain(domain)
    for name in config.score_on:
        world = open_world(canonical_name(config.env or ""), task_named(name))
        problem = read_problem(shown_problem(world, model.name), model)
        rng = stream(config.seed, "score", name)
        try:
            score = ew_score(transitions_of(world), compile_task(problem), rng, _SCORED_BY)
        except GroundingExploded as error:
            yield f"task {name}: no EW: {error}"
            continue
        yield f"task {name}: EW {shown(score.score, 3)}{_UNSCORED.get(score.verdict, '')}"


def _file(path: Path, config: LearnConfig) -> Traces:
    table = path.suffix == ".csv"
    if not table and not is_trajectory(path):
        return load_traces(path, lenient=config.lenient)
    if config.words is None:
        what = "table" if table else "trajectory"
        raise ConfigError(f"{path}: a {what} does not say what may be named; give a domain with --words")
    vocabulary = read_vocabulary(config.words.read_text(encoding="utf-8"), config.words.name)
    return (import_csv if table else import_trajectory)(path, vocabulary, lenient=config.lenient)


def _operators_of(path: Path) -> tuple[Operator, ...]:
    """The operators of a domain. Raises ConfigError for one with a rule that they have no form for."""
    try:
        return tuple(operators_of(read_domain(path.read_text(encoding="utf-8"), path.name)))
    except ValueError as error:
        raise ConfigError(f"{path}: {error}") from error


def _lacking(operators: Sequence[Operator], traces: Traces) -> Iterator[str]:
    """The actions that the world executed and that a domain does not have; `violations` passes them over."""
    had = {operator.action for operator in operators}
    steps = (step for trace in traces.traces for step in trace.steps)
    ran = Counter(step.action for step in steps if step.executable and step.action not in had)
    yield from (
        f"{action}: the world executes it ({n} steps), and there is no such action"
        for action, n in ran.items()
    )


def _in_words(learned: Sequence[Operator], unseen: Sequence[Operator], wrong: Sequence[str]) -> str:
    """A section for each operator, what never ran, and what is not explained."""
    parts = []
    for operator in learned:
        lines = [
            f"## {operator.name}",
            f"Ran {operator.executed} times, was refused {operator.refused} times.",
        ]
        clauses = [f"(or {' '.join(map(str, clause))})" for clause in operator.clauses]
        rules: tuple[tuple[str, Sequence[object]], ...] = (
            ("Needs, proven", operator.proven),
            ("Needs, kept though not proven", sorted({*operator.preconditions} - {*operator.proven})),
            ("Needs, as no literal explains what was refused", clauses),
            ("Changes", operator.effects),
            ("Changes on a condition", operator.conditional),
            ("May change", operator.undetermined_effects),
        )
        lines += [f"{title}: {' '.join(map(str, found)) or 'nothing'}" for title, found in rules]
        left_out = len({*operator.undetermined} - {*operator.preconditions})
        lines.append(f"Left out, though nothing refutes them: {left_out} literals")
        parts.append("\n\n".join(lines))
    for operator in unseen:
        parts.append(f"## {operator.name}\n\nNever ran: nothing is known of it, and the domain says nothing.")
    parts.append("\n".join(["## Not explained", "", *(f"- {text}" for text in wrong or ["nothing"])]))
    return "\n\n".join(parts) + "\n"
