"""`python -m experiments.run planetarium`: how well tasks in words are translated to PDDL, given the domain.

With a language model, live or recorded, it is a run of the main job with other defaults: method `zero-shot`
on pairs of Blocksworld and Gripper that are drawn from seed 0, or on those of a data set (`--data`): the test
split of one that `planetarium-data` has written, or a file of the published one.
With `--predictions` a file of answers is judged, with `--outputs` those that the published data hold, and no
language model is asked. All write `planetarium.csv`, one row a
pair, the tables, and the figure `plots/planetarium`. docs/planetarium.md says how to read them.

Source: Zuo et al. 2024, section 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from envs.folder import PAIRS_PREFIX
from envs.planetarium.drawing import DRAWN
from envs.planetarium.files import split_file
from envs.planetarium.pairs import Split
from envs.planetarium.published import published_name
from envs.variants import split_variant
from experiments.config import ConfigError, Count, EpisodeFlags, RunConfig, is_live, parse_job
from experiments.driver.plan import LIVE_SEEDS, resolve_cells
from experiments.driver.run_plan import RunPlan
from experiments.recordings import Shelved
from experiments.reporting.display import wide_console
from experiments.reporting.pair_tables import draw_pairs, judgements_of
from experiments.run import run
from experiments.runs.directory import RunDirectory, is_read_only
from experiments.runs.ledger import Ledger
from experiments.studies.planetarium.predictions import judge_outputs, judge_predictions, pairs_of

#: Pairs of each world that are asked for where no flag says otherwise.
PAIRS = 30
_OUT = Path("runs/planetarium")
FIGURE = "plots/planetarium"


@dataclass(frozen=True)
class PlanetariumConfig(EpisodeFlags):
    """Translate tasks in words to PDDL problems, and judge that: parseable, solvable, correct.

    Without --model, --base-url or --predictions it is made of the recordings there are.
    """

    method: tuple[str, ...] = ("zero-shot",)
    """Who translates."""
    env: tuple[str, ...] = tuple(f"{PAIRS_PREFIX}{world}" for world in DRAWN)
    """Pairs that are drawn, or any other world: its tasks with their texts."""
    tasks: Count | None = None
    """Pairs of each world, from the first; default: 30, or as many as each has."""
    data: Path | None = None
    """A folder that planetarium-data has written: the test splits of its worlds, instead of --env. Or a file
    of the published data set: its SQLite database, or its problems as .parquet or .jsonl."""
    split: str | None = None
    """With a file of the published data: the split to take, TYPE/SPLIT of its table splits; default: all."""
    outputs: bool = False
    """Judge the outputs of language models that the published data hold, beside the published judgements."""
    predictions: Path | None = None
    """Answers to judge, JSON lines or Parquet with the columns id (of the pair) and prediction (any text)."""
    out: Path | None = None
    """The run directory; default: runs/planetarium, with --predictions runs/planetarium-NAME."""


def main(arguments: Sequence[str]) -> int:
    """Do the evaluation of a command line; returns the exit code."""
    config = parse_job(PlanetariumConfig, "planetarium", arguments)
    _check(config)
    if config.data is not None:
        config = replace(config, env=envs_of(config.data, config.split))
    console = wide_console()
    if config.outputs:
        return judge_outputs(config, config.data or Path(), console)
    config = replace(config, tasks=config.tasks or pairs_there(config.env))
    if config.predictions is not None:
        return judge_predictions(config, config.predictions, config.data is not None, console)
    config = replace(config, out=config.out or _OUT)
    code = run(config, console, cells_of)
    _draw(config)
    return code


def _check(config: PlanetariumConfig) -> None:
    """Raises ConfigError for flags that do not go together."""
    published = config.data is not None and config.data.is_file()
    for name, given in (("--split", config.split), ("--outputs", config.outputs)):
        if given and not published:
            raise ConfigError(f"{name} goes with --data FILE, a file of the published data set")
    if config.outputs and config.predictions is not None:
        raise ConfigError("--outputs and --predictions are two sources of answers: give one")


def envs_of(data: Path, split: str | None = None) -> tuple[str, ...]:
    """The worlds of a data set that have a test split; the file itself if it is a published one.

    Raises ConfigError if there are none.
    """
    if data.is_file():
        return (f"{PAIRS_PREFIX}{published_name(data, split)}",)
    folders = sorted(f for f in data.glob("*") if split_file(f, Split.TEST).is_file())
    if not folders:
        raise ConfigError(
            f"{data} holds no WORLD/test.jsonl; make a data set with planetarium-data, or name a file of the "
            "published one"
        )
    return tuple(f"{PAIRS_PREFIX}{folder}" for folder in folders)


def pairs_there(envs: Sequence[str]) -> int | None:
    """How many pairs each environment has, up to `PAIRS`; None if one is a world with tasks of its own.

    Raises ConfigError.
    """
    names = [split_variant(env)[0] for env in envs]
    if not all(name.startswith(PAIRS_PREFIX) for name in names):
        return None
    return min(len(pairs_of(name, PAIRS)) for name in names)


def cells_of(config: RunConfig, shelf: Sequence[Shelved]) -> RunPlan:
    """Every world, as far as there are answers."""
    seeds = config.seeds or (LIVE_SEEDS if is_live(config) else ())
    return resolve_cells([replace(config, seeds=seeds)], shelf)


def _draw(config: EpisodeFlags) -> None:
    """The figure, unless the run must not be written to; a line has said so then. Raises OSError."""
    directory = RunDirectory(config.out or _OUT)
    if config.dry_run or config.print_config or not directory.events_path.exists():
        return
    if found := judgements_of(Ledger(directory).tasks):
        try:
            draw_pairs(found, directory.path / FIGURE, directory.simulated)
        except OSError as error:
            if not is_read_only(error):
                raise
