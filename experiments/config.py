"""What the user asks for: flags in groups, frozen dataclasses that the configuration of each job is made of.

A job's configuration inherits the groups that the job uses, so what is on the command line, in the
configuration and in a run directory's `config.json` are the same flat names. A record that a run is made of
(`experiments.runs.units.Unit`) inherits groups as well, and is built by keyword from what has the same names
(`shared`): a new setting is a field of a group, and is read where it is used.

A field left out is None or empty and is filled in by `experiments.driver.plan`: from the recording that
answers, or from the method's published setting.
"""

from __future__ import annotations

import difflib
import inspect
import math
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args, get_type_hints

import tyro

from ew.score.config import EstimatorName, FeedbackForm
from ew.score.registry import ESTIMATORS, PUBLISHED
from experiments.driver.command import renamed_flags
from experiments.runs.marks import SIMULATED, is_simulated

#: Whether the task that a model is refined on is counted (`paper`) or not (`apart`).
ProtocolName = Literal["paper", "apart"]
#: Who writes the problems of counted tasks for the model that was found: the language model in PDDL, or TIC.
TranslatorName = Literal["llm", "tic-ic"]
#: Where work is done: in the driver itself, in processes of this machine, or on a Ray cluster.
ExecutorName = Literal["serial", "process", "ray"]
#: Flags that say how large a search is. A method says which of them it has (`Method.takes`).
SizeFlag = Literal["np", "nd", "turns"]
SIZE_FLAGS: tuple[SizeFlag, ...] = ("np", "nd", "turns")
#: Exit codes of every command: something was not answered; a flag, a name or a file is wrong; the machine
#: failed.
EXIT_UNANSWERED, EXIT_CONFIG, EXIT_MACHINE = 1, 2, 3
#: Of the main job: an internal error.
EXIT_UNEXPLAINED = 1

#: Marks numbers of flags that are refused unless they are positive and finite.
_POSITIVE = "positive"
Count = Annotated[int, _POSITIVE]
Positive = Annotated[float, _POSITIVE]


class ConfigError(ValueError):
    """A flag that cannot be meant; the message is one line and says how to fix it."""


@dataclass(frozen=True, kw_only=True)
class CellFlags:
    """What is compared: methods, environments, repetitions, and the tasks that count."""

    method: tuple[str, ...] = ()
    """One or more methods; `--help` lists them above."""
    env: tuple[str, ...] = ()
    """One or more bundled worlds, or paths to folders with a world of yours."""
    seeds: tuple[int, ...] = ()
    """One repetition of everything for each seed."""
    tasks: Count | None = None
    """How many of the environment's evaluation tasks to solve, from the first; default: up to 10."""
    protocol: ProtocolName | None = None
    """paper: refine on task 1 and count it, as published; apart: refine on feedback tasks that are not
    counted. Default: apart where the environment has feedback tasks."""


@dataclass(frozen=True, kw_only=True)
class SearchFlags:
    """How large a search is."""

    np: Count | None = None
    """Problem candidates (n_p); default: the method's."""
    nd: Count | None = None
    """Domain candidates a turn (n_d); default: the method's."""
    turns: Count | None = None
    """Turns of refinement (c_max)."""


@dataclass(frozen=True, kw_only=True)
class BudgetFlags:
    """What the search of one episode may spend."""

    budget_tokens: Count | None = None
    """Tokens that the search of one episode may spend; what it found beyond them does not count."""
    budget_queries: Count | None = None
    """World queries that the search of one episode may spend; likewise."""


@dataclass(frozen=True, kw_only=True)
class WalkFlags:
    """Exploration walks, and the score that is estimated from them."""

    walks: Count = 100
    """Exploration walks of one EW score, both directions together."""
    t_max: Count = 10
    """Longest exploration walk."""
    max_world_steps: Count | None = None
    """Steps that a simulator may make for one EW score; a world that is walked in batches is none."""
    estimator: EstimatorName | None = None
    """How the EW score is estimated, see docs/estimators.md; default: the method's."""


@dataclass(frozen=True, kw_only=True)
class RefinementFlags:
    """What a model is refined with, and who uses the model that was found."""

    feedback: FeedbackForm | None = None
    """The form of a disagreement in feedback: as found, or the shortest with its likely causes. Default:
    shortest; with --protocol paper the published methods and their baselines use the published form."""
    translator: TranslatorName | None = None
    """Who writes the problems of counted tasks for the model that was found: the language model itself (llm,
    the default), or code from what it states in answer set programming (tic-ic, see docs/tic.md)."""


@dataclass(frozen=True, kw_only=True)
class PlannerFlags:
    """Limits of the planner."""

    planner_wall_s: Positive = 60.0
    """Seconds that one call of the planner may take."""
    planner_memory_mb: Count = 2000
    """Megabytes that one call of the planner may take."""


@dataclass(frozen=True, kw_only=True)
class AnswerFlags:
    """Who answers, and how a server is asked."""

    llm: Literal["recorded", "live"] | None = None
    """Where answers come from; default: live if --model or --base-url is given, else recorded."""
    model: str | None = None
    """Live: the model's name as its server knows it; or, for methods that write PDDL or plans,
    simulated:weak, simulated:medium, simulated:strong or simulated:FILE, which need no server
    (docs/simulated.md)."""
    base_url: str | None = None
    """Live: an OpenAI-compatible server, http://host:port/v1; default: OpenAI's."""
    api_key_env: str = "OPENAI_API_KEY"
    """Live: the environment variable that holds the key (never the key itself)."""
    max_tokens: Count | None = None
    """Live: the longest answer; default: 4096."""
    request_timeout_s: Positive | None = 180.0
    """Live: seconds that one request may take; None for no limit."""
    wait_s: Positive | None = 900.0
    """Live: seconds that a server which is busy, broken or away is waited for; None for no limit."""
    retry_unanswered: bool = False
    """Live: ask again for what earlier starts of this run got no answer to (empty, refused, withheld)."""
    concurrency: Count = 8
    """Live: requests at a time."""
    fan_out: Count = 4
    """Live: of these, how many may ask for samples of one and the same request."""
    recording: str | None = None
    """Recorded: a packaged recording's name, a .jsonl(.gz) file, or a run directory to replay."""


@dataclass(frozen=True, kw_only=True)
class CapFlags:
    """Hard limits on what may be spent."""

    max_calls: Count | None = None
    """Cap for the whole run: requests sent to the language model, answered or not; recorded: samples."""
    max_tokens_total: Count | None = None
    """Cap for the whole run: tokens, prompts and completions together."""
    max_cost: Positive | None = None
    """Cap for the whole run: money, in the currency of --prices."""
    prices: Path | None = None
    """A JSON file of prices for a million tokens: {"MODEL": {"prompt": 2.5, "completion": 10}}."""
    max_wall_s: Positive | None = None
    """Cap for this start of the run: seconds."""


@dataclass(frozen=True, kw_only=True)
class AskingFlags(CapFlags, AnswerFlags):
    """All flags of what asks a language model."""


@dataclass(frozen=True, kw_only=True)
class MachineFlags:
    """What work is done with; results do not depend on it."""

    planner: str | None = None
    """Your own build of Fast Downward; default: the one in the up-fast-downward wheel."""
    executor: ExecutorName | None = None
    """Where the work is done. Default: ray for the main job, for jobs made of episodes that ask a live
    server, and where --ray-address or RAY_ADDRESS names a cluster; else process."""
    ray_address: str | None = None
    """A running Ray cluster; default: one is started on this machine."""
    workers: Count | None = None
    """Evaluations at a time; default: one for each CPU."""


@dataclass(frozen=True, kw_only=True)
class OutputFlags:
    """Where results go, and what is shown."""

    out: Path | None = None
    """The run directory; default: runs/ENV-METHOD."""
    fresh: bool = False
    """Set an old run in --out aside instead of resuming it."""
    track: Literal["wandb", "tensorboard", "mlflow"] | None = None
    """Log the run there too; each needs its extra: pip install 'groundwalk[track-NAME]'."""
    print_config: bool = False
    """Show the resolved configuration and stop."""
    dry_run: bool = False
    """Show upper bounds of calls, tokens, cost and world queries, and stop."""


@dataclass(frozen=True, kw_only=True)
class EpisodeFlags(OutputFlags, MachineFlags, PlannerFlags, WalkFlags, AskingFlags, CellFlags):
    """The flags of every job that is made of episodes; the fields of the last group come first."""

    prompts: Path | None = None
    """A folder whose files override packaged prompts of the same name (`problem.md`, `example/task.md`, see
    agents/prompts): a condition of its own in every table. Recordings are bypassed."""
    episodes: Count | None = None
    """Episodes at a time; default: 1 with the serial executor, else 4. Results do not depend on it."""
    max_world_queries: Count | None = None
    """Cap for the whole run: questions to the environments."""


@dataclass(frozen=True, kw_only=True)
class RunConfig(RefinementFlags, BudgetFlags, SearchFlags, EpisodeFlags):
    """Propose, walk, refine, plan and act: model an environment from its description.

    Without flags a packaged recording of a language model's answers is used: no key, no network.
    """

    seed_domain: Path | None = None
    """Live: a domain to begin with, such as one that `learn` wrote, in the place of the model's first one."""

    @classmethod
    def of(cls, flags: EpisodeFlags, **changes: Any) -> RunConfig:
        """The configuration of a run by the flags of a job, which may lack some, with `changes`."""
        return cls(**{**shared(flags, cls), **changes})


#: The configuration of any job.
C = TypeVar("C")


def shared(record: object, kind: type) -> dict[str, Any]:
    """The fields of dataclass `kind` that `record` has too, by name."""
    return {f.name: getattr(record, f.name) for f in fields(kind) if hasattr(record, f.name)}


def parse(arguments: Sequence[str]) -> RunConfig:
    """The configuration of a command line. Raises ConfigError on an unknown flag; tyro exits on others."""
    return parse_job(RunConfig, "", arguments)


def answer_help(arguments: Sequence[str]) -> None:
    """Print the main job's help and exit, if that is what is asked for."""
    if arguments and arguments[0].startswith("-") and {"-h", "--help"} & set(arguments):
        parse(arguments)


def parse_job(kind: type[C], job: str, arguments: Sequence[str]) -> C:
    """The configuration of a job by its flags, checked, with its executor named. Raises as `parse`."""
    prog = f"python -m experiments.run {job}".rstrip()
    overview = None if job or not {"-h", "--help"} & set(arguments) else _overview()
    config, unknown = tyro.cli(
        kind, prog=prog, description=overview, args=renamed_flags(arguments), return_unknown_args=True
    )
    if unknown:
        raise ConfigError(_unknown_flag(unknown[0], kind, job))
    config = check(config)
    if isinstance(config, MachineFlags) and config.executor is None:
        waits = isinstance(config, EpisodeFlags) and (not job or asks_server(config))
        return replace(config, executor="ray" if waits else study_executor(config.ray_address))
    return config


def _overview() -> str:
    """What the help of the main job begins with; the registries name methods and jobs."""
    from experiments.jobs import jobs
    from experiments.methods.registry import METHODS

    methods, further = ", ".join(METHODS), ", ".join(sorted(jobs()))
    return (
        f"{inspect.getdoc(RunConfig)}\n\nMethods (docs/fidelity.md, docs/experiments.md): {methods}.\n\n"
        f"Further jobs, each with its own --help: {further}."
    )


def is_live(config: AnswerFlags) -> bool:
    """Whether a model is to be asked, not a recording."""
    return config.llm == "live" or (config.llm is None and bool(config.model or config.base_url))


def asks_server(config: AnswerFlags) -> bool:
    """Whether answers come from a server, so that there is something to wait for."""
    return is_live(config) and not is_simulated(config.model)


def study_executor(ray_address: str | None) -> ExecutorName:
    """Where a job works that waits for no language model: a Ray of its own would only take time to start."""
    return "ray" if ray_address or os.environ.get("RAY_ADDRESS") else "process"


def check(config: C) -> C:
    """`config` itself if what its groups say makes sense. Raises ConfigError naming the flag."""
    for name in _positive(type(config)):
        value = getattr(config, name)
        for number in value if isinstance(value, tuple) else (value,):
            if number is not None and not 0 < number < math.inf:
                raise ConfigError(f"{flag(name)} must be positive and finite, not {number}")
    if isinstance(config, WalkFlags):
        _check_walks(config)
    if isinstance(config, CellFlags):
        _check_cells(config)
    if isinstance(config, AnswerFlags):
        _check_answers(config)
    return config


def _positive(kind: type) -> Iterator[str]:
    """The fields whose numbers must be positive."""
    if is_dataclass(kind):
        hints = get_type_hints(kind, include_extras=True)
        yield from (f.name for f in fields(kind) if _marked(hints[f.name]))


def _marked(hint: Any) -> bool:
    return _POSITIVE in getattr(hint, "__metadata__", ()) or any(map(_marked, get_args(hint)))


def _check_walks(config: WalkFlags) -> None:
    least = ESTIMATORS[config.estimator or PUBLISHED].least_walks(config.t_max)
    if config.walks < least:
        raise ConfigError(f"--walks must be at least {least} with --t-max {config.t_max}, not {config.walks}")


def _check_cells(config: CellFlags) -> None:
    if any(seed < 0 for seed in config.seeds):
        raise ConfigError("--seeds must not be negative")
    for name in ("method", "env", "seeds"):
        values = getattr(config, name)
        if len(set(values)) < len(values):
            raise ConfigError(f"{flag(name)} names something twice: {' '.join(map(str, values))}")


def _check_answers(config: AnswerFlags) -> None:
    if config.llm == "recorded" and (config.model or config.base_url):
        raise ConfigError(
            "--model and --base-url belong to --llm live; leave them out, or leave out --llm recorded"
        )
    if is_simulated(config.model) and config.base_url:
        raise ConfigError(
            f"--model {config.model} is no model of a server: leave out --base-url, or the {SIMULATED!r} "
            "before the name"
        )
    if config.retry_unanswered and not asks_server(config):
        raise ConfigError("--retry-unanswered asks a server; give the flags that the run was begun with")
    if is_live(config) and config.recording:
        raise ConfigError(
            "--recording is for recorded answers; leave it out, or leave out --model and --base-url"
        )


def flag(field: str) -> str:
    """The flag of a field: `--t-max` of `t_max`."""
    return "--" + field.rstrip("_").replace("_", "-")


def pick(what: str, name: str, known: Iterable[str]) -> str:
    """`name` if it is known. Raises ConfigError with the nearest names and the whole list."""
    names = list(known)
    if name in names:
        return name
    raise ConfigError(f"unknown {what} {name!r}{_hint(name, names)}; there is: {', '.join(names)}")


def _unknown_flag(argument: str, kind: type, job: str) -> str:
    word = argument.split("=")[0]
    if not word.startswith("-"):
        return f"unexpected argument {argument!r}; see --help"
    if word in map(flag, RunConfig.__dataclass_fields__):
        return f"{word} means nothing for {job}, though it is a flag of the main job; leave it out"
    return f"unknown flag {word}{_hint(word, [flag(f.name) for f in fields(kind)])}; see --help"


def _hint(name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, known, n=2, cutoff=0.5)
    return f" (did you mean {' or '.join(near)}?)" if near else ""


def fail(message: str, code: int) -> int:
    """Print `message` as one line on the error stream and return `code` for the shell."""
    print("error: " + " ".join(message.split()), file=sys.stderr)
    return code
