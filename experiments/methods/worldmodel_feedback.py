"""The flags on models written action by action: a person's say in their correction, and how they are written.

Remarks come first, each once, then what a plan that should work shows, then the environment's walks, unless
the person corrects alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from agents.texts import WorldTexts
from agents.worldmodel.construct import Corrector
from agents.worldmodel.model import Brief
from agents.worldmodel.remarks import InTurn, Remarks, RemarkSource, UnreadableRemarks, read_remarks
from agents.worldmodel.sources import SuggestedPlan, UnreadablePlan, Walks, WorldTask, read_plan
from envs.pddl.interface import World
from envs.pddl.language.issues import PDDLError
from envs.plugins import BrokenPlugin
from envs.source import WorldNotFound, task_named
from envs.world import open_world
from experiments.config import ConfigError, RunConfig
from experiments.methods.registry import without_prompts
from experiments.recordings import Cover, Shelved
from experiments.runs.units import Modelling, Person, Unit, feedback_task

#: The method that makes no model, so that there is nothing to correct.
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
                    "--human-alone needs what the person says: --remarks FILE or --plan-that-works FILE"
                )
            return None
        _check_cell(config)
        (env,) = config.env
        remarks = "" if self.remarks is None else _remarks(self.remarks, env)
        if self.plan is None:
            return Person(remarks, alone=self.alone)
        name = self.plan_task or feedback_task(1)
        task = task_named(name)
        return Person(remarks, _plan(self.plan, env, task), task, self.alone)


def sources(person: Person, brief: Brief, tasks: Mapping[int | str, WorldTask], walks: Walks) -> InTurn:
    """Who is heard, one after another; `tasks` are those of `Unit.tasks_heard`."""
    heard: list[RemarkSource] = [said_of(person, brief)] if person.remarks else []
    if person.plan:
        task = tasks[person.plan_task]
        plan = read_plan(person.plan, WorldTexts.of(task.world))
        heard.append(SuggestedPlan(plan, task.problems))
    return InTurn(tuple(heard) if person.alone else (*heard, walks))


def said_of(person: Person, brief: Brief) -> Remarks:
    """The person's remarks on a model. Raises UnreadableRemarks."""
    return read_remarks(person.remarks, [action.name for action in brief.actions])


def most_remarks(person: Person | None, brief: Brief) -> int:
    """How many remarks are made at most: all of the person's, and as many others as without a person."""
    return Corrector.remarks + (len(said_of(person, brief).remarks) if person is not None else 0)


def heard_by(units: Sequence[Unit], person: Person) -> tuple[Unit, ...]:
    """The units with the person's say in those that make a model."""
    return tuple(
        u if without_prompts(u.method) == _WITHOUT_MODEL else replace(u, person=person) for u in units
    )


def answering(shelf: Sequence[Shelved], person: Person) -> tuple[Shelved, ...]:
    """The recordings as far as the same was said in them. Raises ConfigError if none has a model made so."""
    matching = [recording for recording in shelf if any(c.person == person for c in recording.covers)]
    return _as_asked(
        matching,
        lambda cover: cover.person == person or without_prompts(cover.method) == _WITHOUT_MODEL,
        lambda cover: replace(cover, person=None),
        "--remarks, --plan-that-works: no recording answers what this person says. Run live with --model or "
        "--base-url, or name a run with the same files by --recording",
    )


def written_so(shelf: Sequence[Shelved], modelling: Modelling) -> tuple[Shelved, ...]:
    """The recordings as far as their models were written this way. Raises ConfigError if there is none."""
    return _as_asked(
        shelf,
        lambda cover: cover.modelling == modelling,
        lambda cover: replace(cover, modelling=None),
        f"{modelling}: no recording has a model that was written so. Run live with --model or --base-url, or "
        "name a run with the same flags by --recording",
    )


def _as_asked(
    shelf: Sequence[Shelved], fits: Callable[[Cover], bool], plain: Callable[[Cover], Cover], fault: str
) -> tuple[Shelved, ...]:
    """The recordings with the covers that fit, made `plain`. Raises ConfigError with `fault` for none."""
    fitting = ((recording, tuple(plain(c) for c in recording.covers if fits(c))) for recording in shelf)
    found = tuple(replace(recording, covers=covers) for recording, covers in fitting if covers)
    if not found:
        raise ConfigError(fault)
    return found


def _check_cell(config: RunConfig) -> None:
    """Raises ConfigError unless there is one environment and a model to correct."""
    if len(config.env) != 1:
        named = f"--env names {len(config.env)}" if config.env else "name it with --env"
        raise ConfigError(f"--remarks and --plan-that-works are about one environment; {named}")
    if all(without_prompts(method) == _WITHOUT_MODEL for method in config.method):
        raise ConfigError(
            f"--remarks and --plan-that-works correct a model, and {_WITHOUT_MODEL} makes none; name "
            "plan-advised, plan-shown, plan-shown-advised or plan-by-model with --method"
        )


def _remarks(path: Path, env: str) -> str:
    text, world = _given("--remarks", path, env, 1)
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
    text, world = _given("--plan-that-works", path, env, task)
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


def _given(flag: str, path: Path, env: str, task: int | str) -> tuple[str, World]:
    """The text of a file, and the task that it is about."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{flag} {path}: it cannot be read: {error}") from error
    try:
        return text, open_world(env, task)
    except (WorldNotFound, PDDLError, BrokenPlugin, ValueError) as error:
        named = "--env" if flag == "--remarks" else "--plan-task"
        raise ConfigError(f"{named}: task {task} of environment {env!r} cannot be opened: {error}") from error


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


def _check_uses(flag: str, why: str, methods: Sequence[str], using: Sequence[str]) -> None:
    others = [method for method in methods if method not in using]
    if others:
        raise ConfigError(
            f"{flag} {why}, so it means nothing for {', '.join(others)}; name others with --method: "
            f"{', '.join(using)}"
        )
