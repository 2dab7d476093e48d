"""What must be there before the first call is paid for: names, worlds, planner, answers.

Each check raises an error whose text is one line for the user; a run that passes may still fail, but not
for a reason that could have been known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from agents import prompts
from agents.requests import WITH_EXAMPLE, example_turns
from envs.pddl.interface import World
from envs.pddl.language.issues import PDDLError
from envs.plugins import BrokenPlugin, is_plugin, plugin_names
from envs.registry import SIMULATORS, worlds
from envs.source import WorldNotFound, canonical_name, has_files, read_texts, text_level
from envs.variants import Level, split_variant
from envs.world import open_world
from ew.score.config import EWConfig
from ew.score.forecast import walk_notes
from experiments.config import ConfigError, RunConfig, pick, shared
from experiments.driver.run_plan import RunPlan
from experiments.methods.registry import PROMPTS, method_named
from experiments.runs.marks import is_simulated
from experiments.runs.records import content_key, world_label
from experiments.runs.units import EvaluationTask, Unit


def check_names(config: RunConfig) -> RunConfig:
    """`config` with environments named alike in every process.

    Raises ConfigError for one that is neither built in, nor a folder, nor offered by a package, and for two
    that tables could not tell apart.
    """
    for env in config.env:
        check_name(env)
    named = replace(config, env=tuple(map(canonical_name, config.env)))
    places: dict[str, str] = {}
    for env in named.env:
        if places.setdefault(world_label(env), env) != env:
            raise ConfigError(f"{places[world_label(env)]} and {env} have the same name; rename one of them")
    return named


def check_name(env: str) -> None:
    """Raises ConfigError if `env` is neither built in, nor a folder, nor offered by a package."""
    try:
        if not has_files(env) and not is_plugin(env):
            name = split_variant(env)[0]
            if Path(name).name != name:
                raise ConfigError(f"unknown environment {name!r}: there is no such folder")
            pick("environment", name, (*worlds(), *SIMULATORS, *plugin_names()))
    except WorldNotFound as error:
        raise ConfigError(str(error)) from error


def check_prompts(config: RunConfig) -> prompts.PromptSet:
    """The prompts of --prompts, or the packaged ones. Raises ConfigError if they cannot be asked with."""
    if config.prompts is None:
        if named := [method for method in config.method if PROMPTS in method]:
            raise ConfigError(f"--method {named[0]}: name the folder of its prompts by --prompts")
        return prompts.PromptSet()
    if is_simulated(config.model):
        raise ConfigError(
            f"--prompts: {config.model} reads the packaged prompts alone; name a model of a server"
        )
    try:
        found = prompts.read_prompts(config.prompts)
        with prompts.overridden(found):
            for request in WITH_EXAMPLE:
                example_turns(request)
    except ValueError as error:
        raise ConfigError(f"--prompts: {error}") from error
    return found


def prompts_used() -> dict[str, Any]:
    """What a run writes down of prompts that are not the packaged ones: their label, digest and files."""
    if not (used := prompts.active()).texts:
        return {}
    return {"prompt_set": {"label": used.label, "digest": used.digest, "files": sorted(used.texts)}}


def prompts_told(config: RunConfig) -> list[str]:
    """A line about prompts that are not the packaged ones."""
    if not (used := prompts.active()).texts:
        return []
    files = f"{len(used.texts)} file{'s' * (len(used.texts) != 1)}"
    return [f"prompts: {used.label} ({files} of {config.prompts}); packaged recordings are bypassed"]


def check_worlds(plan: RunPlan) -> None:
    """Raises ConfigError if a task of the plan cannot be opened, or is not described where that is needed."""
    asking = {unit.env for unit in plan.units if method_named(unit.method).asks_model}
    for env, number in tasks_of(plan):
        try:
            world = open_world(env, number)
        except (WorldNotFound, PDDLError, BrokenPlugin, ValueError) as error:
            raise ConfigError(f"task {number} of environment {env!r} cannot be opened: {error}") from error
        if env in asking:
            _check_described(env, number, world)
    for unit in _one_of_each(plan):
        method_named(unit.method).check(unit)


def _check_described(env: str, task: int | str, world: World) -> None:
    """Raises ConfigError if a language model would be asked about an environment without a text of it."""
    base, variant = split_variant(env)
    folder = Path(base) if Path(base).is_dir() else None
    describe = f"let `python -m experiments.worlds describe {base}` write it, or " if folder else ""
    if not world.description:
        write = f"write {folder / 'domain.nl'}, " if folder else ""
        raise ConfigError(
            f"environment {env!r} is not described in words, so no language model can model it: {write}"
            f"{describe}name it {base}{replace(variant, undocumented=True)}"
        )
    if not world.task:
        stem = f"p{task:02}" if isinstance(task, int) else task
        write = f"write {folder / stem}.nl, " if folder else ""
        level = f"name it {base}{replace(variant, level=Level.EXPLICIT)}" if has_files(env) else ""
        fix = f"{write}{describe}{level}" or "let the package's world return one"
        raise ConfigError(f"task {task} of environment {env!r} has no text for a language model: {fix}")


def texts_of_worlds(plan: RunPlan) -> dict[str, str]:
    """A short key of what is written down about each environment and its tasks, by `ENV.texts`.

    By `ENV.knowledge`, likewise what translators are given beside a task's text. A world that was changed is
    another one: results of the old one are none of its own. Raises ConfigError, also if a method lacks the
    example that it shows, or rules cannot be read.
    """
    tasks: dict[str, dict[int | str, None]] = {}
    for unit in plan.units:
        tasks.setdefault(unit.env, {}).update(dict.fromkeys(_unit_tasks(unit)))
    digests = {env: [_digest(env, task) for task in found] for env, found in tasks.items()}
    texts = {f"{env}.texts": content_key({"tasks": found})[:16] for env, found in digests.items()}
    keys = {(u.env, u.method): method_named(u.method).knowledge_key(u.env) for u in _one_of_each(plan)}
    return texts | {f"{env}.knowledge": key for (env, _), key in keys.items() if key}


def _one_of_each(plan: RunPlan) -> list[Unit]:
    """A unit for each environment, method and choice of evaluation tasks."""
    first: dict[tuple[str, str, tuple[EvaluationTask, ...]], Unit] = {}
    for unit in plan.units:
        first.setdefault((unit.env, unit.method, unit.evaluation_tasks), unit)
    return list(first.values())


def task_texts(plan: RunPlan) -> dict[str, str]:
    """Which texts the tasks of each environment have: a level, several with `, ` between, or `given`."""
    levels: dict[str, dict[str, None]] = {}
    for env, task in tasks_of(plan):
        level = text_level(env, task) if has_files(env) else Level.GIVEN
        levels.setdefault(env, {})[level.value] = None
    return {env: ", ".join(found) for env, found in levels.items()}


def texts_told(plan: RunPlan) -> Iterator[str]:
    """Which texts the run uses, and where what translators know comes from, a line each."""
    by_level: dict[str, list[str]] = {}
    for env, level in task_texts(plan).items():
        by_level.setdefault(level, []).append(world_label(env))
    for level, envs in by_level.items():
        how = "as they were given" if level == Level.GIVEN else "written from the PDDL"
        yield f"texts of the tasks: {level} ({how}): {', '.join(envs)}"
    given = {(unit.env, unit.method): unit for unit in _one_of_each(plan)}
    notes = ((env, note) for env, name in given for note in method_named(name).knowledge_notes(env))
    yield from dict.fromkeys(f"{world_label(env)}: {note}" for env, note in notes)


def walks_told(plan: RunPlan) -> Iterator[str]:
    """What is said before a simulator is walked: nothing of environments that are PDDL."""
    for unit in _one_of_each(plan):
        if is_plugin(unit.env):
            world, walks = open_world(unit.env, unit.refined_on[0]), EWConfig(**shared(unit, EWConfig))
            yield from (f"{world_label(unit.env)}: {note}" for note in walk_notes(world, walks))


def tasks_of(plan: RunPlan) -> list[tuple[str, int | str]]:
    """All tasks of all environments, each once."""
    return list(dict.fromkeys((unit.env, task) for unit in plan.units for task in _unit_tasks(unit)))


def _unit_tasks(unit: Unit) -> tuple[int | str, ...]:
    """The tasks that are counted, then those that are only refined on, or that a person's plan is for."""
    counted = tuple(task.name for task in unit.evaluation_tasks)
    return counted + tuple(task for task in unit.tasks_heard if task not in counted)


def _digest(env: str, number: int | str) -> str:
    try:
        if has_files(env):
            return read_texts(env, number).digest()
        world = open_world(env, number)
        return content_key({"description": world.description, "task": world.task})
    except (WorldNotFound, BrokenPlugin, ValueError, OSError) as error:
        raise ConfigError(f"task {number} of environment {env!r} cannot be read: {error}") from error
