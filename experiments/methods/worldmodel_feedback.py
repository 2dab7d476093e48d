"""The flags on models written action by action: a person's say in their correction, and how they are written.

Remarks come first, each once, then what a plan that should work shows, then the environment's walks, unless
the person corrects alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from agents.texts import WorldTexts
from agents.worldmodel.brief import Brief
from agents.worldmodel.correct import Corrector
from agents.worldmodel.plan_source import SuggestedPlan, UnreadablePlan, read_plan
from agents.worldmodel.remarks import InTurn, Remarks, RemarkSource, UnreadableRemarks, read_remarks
from agents.worldmodel.world_source import Walks, WorldTask
from envs.pddl.interface import World
from envs.pddl.language.issues import PDDLError
from envs.plugins import BrokenPlugin
from envs.source import WorldNotFound
from envs.world import open_world
from experiments.config import ConfigError, RunConfig
from experiments.recordings import Shelved
from experiments.runs.units import Modelling, Person, Unit, feedback_task

#: The method that makes no model: nobody corrects anything there.
_WITHOUT_MODEL = "plan-alone"


@dataclass(frozen=True)
class PersonFiles:
    """The flags with which a person has a say."""

    remarks: Path | None = None
    plan: Path | None = None
    plan_task: str | None = None
    alone: bool = False

    def read(self, config: RunConfig) -> Person | None:
        """What the person says; None without files. Raises ConfigError if it cannot be told to a model."""
        if self.plan is None and self.plan_task is not None:
            raise ConfigError("--plan-task belongs to --plan-that-works; leave it out, or name a plan's file")
        if self.remarks is None and self.plan is None:
            if self.alone:
                raise ConfigError(
                    "--person-alone needs what the person says: --remarks FILE or --plan-that-works FILE"
                )
            return None
        _check_cell(config)
        (env,) = config.env
        remarks = "" if self.remarks is None else _remarks(self.remarks, env)
        if self.plan is None:
            return Person(remarks, alone=self.alone)
        task = _task(self.plan_task or feedback_task(1))
        return Person(remarks, _plan(self.plan, env, task), task, self.alone)


def sources(person: Person, brief: Brief, tasks: Mapping[int | str, WorldTask], walks: Walks) -> InTurn:
    """Who is heard, one after another; `tasks` are those of `Unit.tasks_heard`."""
    heard: list[RemarkSource] = [said_of(person, brief)] if person.remarks else []
    if person.plan:
        task = tasks[person.plan_task]
        plan = read_plan(person.plan, WorldTexts.of(task.world))
        heard.append(SuggestedPlan(plan, task.problems, task.world.task))
    return InTurn(tuple(heard) if person.alone else (*heard, walks))


def said_of(person: Person, brief: Brief) -> Remarks:
    """The person's remarks on a model. Raises UnreadableRemarks."""
    return read_remarks(person.remarks, [action.name for action in brief.actions])


def most_remarks(person: Person | None, brief: Brief) -> int:
    """How many remarks are made at most: all of the person's, and as many others as without a person."""
    return Corrector.remarks + (len(said_of(person, brief).remarks) if person is not None else 0)


def heard_by(units: Sequence[Unit], person: Person) -> tuple[Unit, ...]:
    """The units with the person's say in those that make a model."""
    return tuple(u if u.method == _WITHOUT_MODEL else replace(u, person=person) for u in units)


def answering(shelf: Sequence[Shelved], person: Person) -> tuple[Shelved, ...]:
    """The recordings as far as the same was said in them. Raises ConfigError if none has a model made so."""
    found = []
    for recording in shelf:
        same = tuple(replace(c, person=None) for c in recording.covers if c.person == person)
        alone = tuple(c for c in recording.covers if c.method == _WITHOUT_MODEL)
        if same:
            found.append(replace(recording, covers=(*same, *alone)))
    if not found:
        raise ConfigError(
            "--remarks, --plan-that-works: no recording answers what this person says. Run live with --model "
            "or --base-url, or name a run with the same files by --recording"
        )
    return tuple(found)


def _check_cell(config: RunConfig) -> None:
    """Raises ConfigError unless there is one environment and a model to correct."""
    if len(config.env) != 1:
        named = f"--env names {len(config.env)}" if config.env else "name it with --env"
        raise ConfigError(f"--remarks and --plan-that-works are about one environment; {named}")
    if all(method == _WITHOUT_MODEL for method in config.method):
        raise ConfigError(
            f"--remarks and --plan-that-works correct a model, and {_WITHOUT_MODEL} makes none; name "
            "plan-advised, plan-shown, plan-shown-advised or plan-by-model with --method"
        )


def _remarks(path: Path, env: str) -> str:
    text, world = _text("--remarks", path), _opened("--env", env, 1)
    try:
        said = read_remarks(text, [action.name for action in world.actions])
    except UnreadableRemarks as error:
        raise ConfigError(f"--remarks {path}: {error}") from error
    if not said.remarks:
        raise ConfigError(
            f"--remarks {path}: there is no remark in it; write each under the name of its action, as in "
            f"`## {world.actions[0].name}`"
        )
    return text


def _plan(path: Path, env: str, task: int | str) -> str:
    text, world = _text("--plan-that-works", path), _opened("--plan-task", env, task)
    try:
        plan = read_plan(text, WorldTexts.of(world))
    except UnreadablePlan as error:
        raise ConfigError(f"--plan-that-works {path}, for task {task}: {error}") from error
    if not plan:
        raise ConfigError(
            f"--plan-that-works {path}: there is no step in it; write one a line, such as {world.actions[0]} "
            "with objects for the variables"
        )
    return text


def _opened(flag: str, env: str, task: int | str) -> World:
    try:
        return open_world(env, task)
    except (WorldNotFound, PDDLError, BrokenPlugin, ValueError) as error:
        raise ConfigError(f"{flag}: task {task} of environment {env!r} cannot be opened: {error}") from error


def _text(flag: str, path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{flag} {path}: it cannot be read: {error}") from error


def _task(name: str) -> int | str:
    """A task's number, or its stem such as `f01`."""
    return int(name) if name.isdigit() else name


#: Methods that write a model.
_WITH_MODEL = ("plan-advised", "plan-shown", "plan-shown-advised", "plan-by-model")
#: Those of them whose plans are written with the model's own parameters.
_IN_MODEL = ("plan-shown", "plan-shown-advised", "plan-by-model")


def check_modelling(modelling: Modelling, methods: Sequence[str], *, with_plan: bool) -> None:
    """Raises ConfigError if a flag means nothing for one of `methods`.

    `with_plan`: a person says that a plan works, which is written with the environment's parameters.
    """
    if modelling.strips_only:
        _check_uses("--strips-only", "is about the model that a method writes", methods, _WITH_MODEL)
    if modelling.free_parameters:
        needs = "needs plans that are written with the model's own parameters"
        _check_uses("--free-parameters", needs, methods, _IN_MODEL)
        if with_plan:
            raise ConfigError(
                "--plan-that-works is written with the environment's parameters, and with --free-parameters "
                "the model has its own; leave one of the two out"
            )


def modelled(units: Sequence[Unit], modelling: Modelling) -> tuple[Unit, ...]:
    """The units with a model that is written this way."""
    return tuple(replace(unit, modelling=modelling) for unit in units)


def written_so(shelf: Sequence[Shelved], modelling: Modelling) -> tuple[Shelved, ...]:
    """The recordings as far as their models were written this way. Raises ConfigError if there is none."""
    found = []
    for recording in shelf:
        covers = tuple(replace(c, modelling=None) for c in recording.covers if c.modelling == modelling)
        found += [replace(recording, covers=covers)] if covers else []
    if not found:
        raise ConfigError(
            f"{modelling}: no recording has a model that was written so. Run live with --model or "
            "--base-url, or name a run with the same flags by --recording"
        )
    return tuple(found)


def _check_uses(flag: str, why: str, methods: Sequence[str], using: Sequence[str]) -> None:
    others = [method for method in methods if method not in using]
    if others:
        raise ConfigError(
            f"{flag} {why}, so it means nothing for {', '.join(others)}; name others with --method: "
            f"{', '.join(using)}"
        )
