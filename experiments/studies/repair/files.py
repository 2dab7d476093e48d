"""What `repair` is given and what it leaves: a user's own model, or a world's rules broken on purpose.

A model is repaired in its own words, so it has to name what the world names: the same actions with as many
parameters, and all of the world's objects. Everything is written into a folder of its own; nothing that is
there is ever overwritten.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from envs.pddl.interface import World
from envs.pddl.language.domain import Problem, read_domain, read_problem
from envs.pddl.language.issues import PDDLError
from experiments.config import ConfigError
from experiments.studies.repair.cases import Case


@dataclass(frozen=True, eq=False)
class Given:
    """A model to be repaired, and where."""

    env: str
    task: int | str
    world: World
    problem: Problem
    case: Case | None = None  #: if the model was broken on purpose


def read_given(env: str, task: int | str, world: World, domain: Path, problem: Path) -> Given:
    """The model of two files. Raises ConfigError if they cannot be read or do not fit the world."""
    texts = [_read(path, env) for path in (domain, problem)]
    try:
        read = read_problem(texts[1], read_domain(texts[0], str(domain)), str(problem))
    except PDDLError as error:
        raise ConfigError(error.brief()) from error
    missing = unnamed(world, read)
    if missing:
        raise ConfigError(f"{domain} and {problem} do not fit {env}, task {task}: {'; '.join(missing)}")
    return Given(env, task, world, read)


def unnamed(world: World, problem: Problem) -> list[str]:
    """In what the names of a model differ from the world's; empty if it can be repaired there."""
    own = {name: len(action.parameters) for name, action in problem.domain.actions.items()}
    theirs = {action.name: action for action in world.actions}
    objects = [name for name in world.objects if name not in problem.objects]
    return [
        *(f"it lacks the action {theirs[name]}" for name in theirs if name not in own),
        *(f"the world has no action {name}" for name in own if name not in theirs),
        *(
            f"{name} has {own[name]} parameters, the world's is {action}"
            for name, action in theirs.items()
            if name in own and own[name] != len(action.parameters)
        ),
        *([f"it lacks the objects {' '.join(objects)}"] if objects else []),
    ]


def new_folder(wished: Path | None, default: str) -> Path:
    """A folder that was not there, or is empty: the wished one, or `runs/DEFAULT`, numbered if need be.

    Raises ConfigError if the wished one holds something already or cannot be made; OSError if there is no
    place for the other.
    """
    if wished is not None:
        try:
            if wished.exists() and (not wished.is_dir() or any(wished.iterdir())):
                raise ConfigError(f"{wished} is there already and nothing is overwritten; name another --out")
            wished.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(f"nothing can be written to {wished}: {error.strerror}") from error
        return wished
    folder, number = Path("runs") / default, 1
    while True:
        try:
            folder.mkdir(parents=True)
            return folder
        except FileExistsError:
            number += 1
            folder = Path("runs") / f"{default}.{number}"


def _read(path: Path, env: str) -> str:
    """The text of a file, looked for here and then in the world's folder."""
    found = next((p for p in (path, Path(env) / path) if p.is_file()), None)
    if found is None:
        raise ConfigError(f"there is no file {path}, neither here nor in {env}")
    try:
        return found.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{found} is not UTF-8: {error}") from error
