"""What the user asks for: the flags of the main job, as one frozen dataclass.

A field left out is None or empty and is filled in by `experiments.driver.plan`: from the recording that
answers, or from the method's published setting. What is on the command line and what is in a run directory's
`config.json` are the same names.
"""

from __future__ import annotations

import difflib
import math
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Literal, TypeVar

import tyro

from ew.score.config import EstimatorName, FeedbackForm
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
#: Of the main job: an error of ours.
EXIT_UNEXPLAINED = 1


class ConfigError(ValueError):
    """A flag that cannot be meant; the message is one line and says how to mend it."""


@dataclass(frozen=True)
class RunConfig:
    """Propose, walk, refine, plan and act: model an environment from its description.

    Without flags a packaged recording of a language model's answers is used: no key, no network.
    Further jobs, each with its own --help: table2, budgets, replay, repair, tic, learn, operators,
    goals, planetarium, planetarium-data, worldmodel, study-ablation, study-detection,
    study-removal, study-repair.
    """

    method: tuple[str, ...] = ()
    """One or more of: refine, chain, tree, tree-domprop, intrinsic, intrinsic-cot, best-of-n, repair,
    restarts, llm-once+repair, refine+repair, learn and learn-partial, which ask no language model
    (docs/operators.md), or, with the domain given, llm+p, tic-ic, tic-g3, tic-g1 (docs/tic.md) and zero-shot
    (docs/planetarium.md)."""
    env: tuple[str, ...] = ()
    """One or more bundled worlds, or paths to folders with a world of yours."""
    seeds: tuple[int, ...] = ()
    """One repetition of everything for each seed."""
    tasks: int | None = None
    """How many of the environment's evaluation tasks to solve, from the first; default: up to 10."""
    np: int | None = None
    """Problem candidates (n_p); default: the method's."""
    nd: int | None = None
    """Domain candidates a turn (n_d); default: the method's."""
    turns: int | None = None
    """Turns of refinement (c_max)."""

    llm: Literal["recorded", "live"] | None = None
    """Where answers come from; default: live if --model or --base-url is given, else recorded."""
    model: str | None = None
    """Live: the model's name as its server knows it; or simulated:weak, simulated:medium, simulated:strong or
    simulated:FILE, a stand-in that needs no server (docs/simulated.md)."""
    base_url: str | None = None
    """Live: an OpenAI-compatible server, http://host:port/v1; default: OpenAI's."""
    api_key_env: str = "OPENAI_API_KEY"
    """Live: the environment variable that holds the key (never the key itself)."""
    max_tokens: int | None = None
    """Live: the longest answer; default: 4096."""
    request_timeout_s: float | None = 180.0
    """Live: seconds that one request may take; None for no limit."""
    wait_s: float | None = 900.0
    """Live: seconds that a server which is busy, broken or away is waited for; None for no limit."""
    retry_unanswered: bool = False
    """Live: ask again for what earlier starts of this run got no answer to (empty, refused, withheld)."""
    concurrency: int = 8
    """Live: requests at a time."""
    fan_out: int = 4
    """Live: of these, how many may ask for samples of one and the same request."""
    recording: str | None = None
    """Recorded: a packaged recording's name, a .jsonl(.gz) file, or a run directory to replay."""

    walks: int = 100
    """Exploration walks of one EW score, both directions together."""
    t_max: int = 10
    """Longest exploration walk."""
    estimator: EstimatorName | None = None
    """How the EW score is estimated, see docs/estimators.md; default: the method's."""
    feedback: FeedbackForm | None = None
    """How a disagreement is told: as found, or the shortest with its likely causes. Default: shortest; with
    --protocol paper the published methods and their baselines are told as published."""
    protocol: ProtocolName | None = None
    """paper: refine on task 1 and count it, as published; apart: refine on feedback tasks that are not
    counted. Default: apart where the environment has feedback tasks."""
    translator: TranslatorName | None = None
    """Who writes the problems of counted tasks for the model that was found: the language model itself (llm,
    the default), or code from what it states in answer set programming (tic-ic, see docs/tic.md)."""
    budget_tokens: int | None = None
    """Tokens that the search of one episode may spend; what it found beyond them does not count."""
    budget_queries: int | None = None
    """World queries that the search of one episode may spend; likewise."""
    seed_domain: Path | None = None
    """Live: a domain to begin with, such as one that `learn` wrote, in the place of the model's first one."""
    planner: str | None = None
    """Your own build of Fast Downward; default: the one in the up-fast-downward wheel."""
    planner_wall_s: float = 60.0
    """Seconds that one call of the planner may take."""
    planner_memory_mb: int = 2000
    """Megabytes that one call of the planner may take."""

    executor: ExecutorName = "ray"
    """Where candidates are evaluated; results do not depend on it. A further job that asks no live language
    model uses processes unless this flag or the address of a cluster is given."""
    ray_address: str | None = None
    """A running Ray cluster; default: one is started on this machine."""
    workers: int | None = None
    """Evaluations at a time; default: one for each CPU."""
    episodes: int | None = None
    """Episodes at a time; default: 1 with the serial executor, else 4. Results do not depend on it."""

    max_calls: int | None = None
    """Cap for the whole run: requests sent to the language model, answered or not; recorded: samples."""
    max_tokens_total: int | None = None
    """Cap for the whole run: tokens, prompts and completions together."""
    max_cost: float | None = None
    """Cap for the whole run: money, in the currency of --prices."""
    prices: Path | None = None
    """A JSON file of prices for a million tokens: {"MODEL": {"prompt": 2.5, "completion": 10}}."""
    max_wall_s: float | None = None
    """Cap for this start of the run: seconds."""
    max_world_queries: int | None = None
    """Cap for the whole run: questions to the environments."""

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


#: `RunConfig`, or that of a job with more flags.
C = TypeVar("C", bound=RunConfig)


def parse(arguments: Sequence[str]) -> RunConfig:
    """The configuration of a command line. Raises ConfigError on an unknown flag; tyro exits on others."""
    return parse_job(RunConfig, "", arguments)


def answer_help(arguments: Sequence[str]) -> None:
    """Print the main job's help and exit, if that is what is asked for."""
    if arguments and arguments[0].startswith("-") and {"-h", "--help"} & set(arguments):
        parse(arguments)


def parse_job(kind: type[C], job: str, arguments: Sequence[str]) -> C:
    """The configuration of a job that takes the flags of the main job and more. Raises as `parse`."""
    prog = f"python -m experiments.run {job}".rstrip()
    config, unknown = tyro.cli(kind, prog=prog, args=list(arguments), return_unknown_args=True)
    if unknown:
        raise ConfigError(_unknown_flag(unknown[0], kind))
    config = check(config)
    if job and not asks_server(config) and not any(a.partition("=")[0] == "--executor" for a in arguments):
        config = replace(config, executor=study_executor(config.ray_address))
    return config


def is_live(config: RunConfig) -> bool:
    """Whether a model is to be asked, not a recording."""
    return config.llm == "live" or (config.llm is None and bool(config.model or config.base_url))


def asks_server(config: RunConfig) -> bool:
    """Whether answers come from a server, so that there is something to wait for."""
    return is_live(config) and not is_simulated(config.model)


def study_executor(ray_address: str | None) -> ExecutorName:
    """Where a job works that waits for no language model: a Ray of its own would only take time to start."""
    return "ray" if ray_address or os.environ.get("RAY_ADDRESS") else "process"


def check(config: C) -> C:
    """`config` itself if every number in it makes sense. Raises ConfigError naming the flag."""
    for name in (
        "tasks",
        "np",
        "nd",
        "turns",
        "walks",
        "t_max",
        "planner_wall_s",
        "planner_memory_mb",
        "workers",
        "request_timeout_s",
        "wait_s",
        "concurrency",
        "fan_out",
        "budget_tokens",
        "budget_queries",
        "episodes",
        "max_calls",
        "max_tokens_total",
        "max_cost",
        "max_wall_s",
        "max_world_queries",
    ):
        value = getattr(config, name)
        if value is not None and not 0 < value < math.inf:
            raise ConfigError(f"{flag(name)} must be positive and finite, not {value}")
    if config.walks < 2 * config.t_max:
        raise ConfigError(
            f"--walks must be at least twice --t-max, that is {2 * config.t_max}, not {config.walks}"
        )
    if any(seed < 0 for seed in config.seeds):
        raise ConfigError("--seeds must not be negative")
    for name in ("method", "env", "seeds"):
        values = getattr(config, name)
        if len(set(values)) < len(values):
            raise ConfigError(f"{flag(name)} names something twice: {' '.join(map(str, values))}")
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
    if config.llm == "live" and config.recording:
        raise ConfigError("--recording belongs to --llm recorded; leave one of the two out")
    return config


def flag(field: str) -> str:
    """The flag of a field: `--t-max` of `t_max`."""
    return "--" + field.replace("_", "-")


def pick(what: str, name: str, known: Iterable[str]) -> str:
    """`name` if it is known. Raises ConfigError with the nearest names and the whole list."""
    names = list(known)
    if name in names:
        return name
    raise ConfigError(f"unknown {what} {name!r}{_hint(name, names)}; there is: {', '.join(names)}")


def _unknown_flag(argument: str, kind: type[RunConfig]) -> str:
    word = argument.split("=")[0]
    if not word.startswith("-"):
        return f"unexpected argument {argument!r}; see --help"
    return f"unknown flag {word}{_hint(word, [flag(f.name) for f in fields(kind)])}; see --help"


def _hint(name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, known, n=2, cutoff=0.5)
    return f" (did you mean {' or '.join(near)}?)" if near else ""


def fail(message: str, code: int) -> int:
    """Say `message` as one line on the error stream and give back `code` for the shell."""
    print("error: " + " ".join(message.split()), file=sys.stderr)
    return code
