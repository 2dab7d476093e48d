"""Worlds of MiniGrid: `minigrid:DoorKey-5x5`, `minigrid:UnlockPickup`, `minigrid:KeyCorridorS3R1`.

An operator names where the agent is, where it looks and what it acts on: `(pick-up yellow-key cell-1-2
cell-1-3 south)`. Each is one primitive action of MiniGrid's. `toggle` does what MiniGrid's does: it opens,
closes or unlocks by the state of the door, so in PDDL its effects are conditional. A box is never toggled.

They need the package minigrid, `pip install 'groundwalk[minigrid]'`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache, partial
from typing import Any

import gymnasium as gym
import minigrid  # noqa: F401 (registers its environments)

from envs.adapters.gym_world import GymWorld
from envs.adapters.pools import seed_of
from envs.pddl.language.domain import GroundAtom

DOOR_KEY, UNLOCK_PICKUP = "minigrid:DoorKey-5x5", "minigrid:UnlockPickup"
KEY_CORRIDOR = "minigrid:KeyCorridorS3R1"
_DIRECTIONS = ("east", "south", "west", "north")  # as MiniGrid numbers them, each left of the next
_LEFT, _RIGHT, _FORWARD, _PICK_UP, _DROP, _TOGGLE = range(6)
_AT = "?from ?cell - cell ?facing - direction"
_ACTIONS = (
    "(turn-left ?from ?to - direction)", "(turn-right ?from ?to - direction)",
    "(move ?from ?to - cell ?facing - direction)", f"(pick-up ?thing - thing {_AT})",
    f"(drop ?thing - thing {_AT})", f"(toggle ?door - door {_AT})",
)  # fmt: skip
_PREDICATES = (
    "(at ?cell - cell)", "(facing ?direction - direction)", "(holding ?thing - thing)", "(hands-free)",
    "(lies ?thing - thing ?cell - cell)", "(clear ?cell - cell)", "(enterable ?cell - cell)",
    "(door-at ?door - door ?cell - cell)", "(open ?door - door)", "(locked ?door - door)",
    "(fits ?key - key ?door - door)", "(next ?from ?to - cell ?direction - direction)",
    "(left ?from ?to - direction)", "(right ?from ?to - direction)",
)  # fmt: skip
_CELLS = """\
The cell in column C and row R is called cell-C-R; columns are counted from west to east, rows from north to \
south. Cells that are not named are walls."""
_DESCRIPTION = """\
An agent moves on a grid of cells, among them cells with a door. It is in a cell and faces one of four \
directions; the cell in front of it is the next one in that direction. Its hands are free, or it holds one \
thing. A cell is clear if no door, no thing and no goal is there. A cell can be entered if it is clear, or \
holds the goal, or its door is open. The last parameters of most actions are the agent's cell, the cell in \
front of it, and the direction that it faces.

There are six actions:

1. turn-left: The agent turns left by a quarter, from one direction to another. It must face the first, and \
the second must be left of that. Afterwards it faces the second, and no longer the first.

2. turn-right: The agent turns right by a quarter, from one direction to another. It must face the first, \
and the second must be right of that. Afterwards it faces the second, and no longer the first.

3. move: The agent goes from its cell to the cell in front. That must be one that can be entered. Afterwards \
the agent is there, and no longer in the cell it came from.

4. pick-up: The agent picks up the thing in the cell in front. The thing must lie there, and the hands must \
be free. Afterwards the agent holds the thing, its hands are not free, and the cell in front is clear.

5. drop: The agent drops a thing into the cell in front. The agent must hold the thing, and the cell must be \
clear. Afterwards the thing lies there, the hands are free, and the cell is not clear.

6. toggle: The agent toggles the door in the cell in front. If it is locked, the agent must hold a key of \
its colour: the door is unlocked and open afterwards, and the key is still held. If it is not locked, it is \
opened if it is closed, and closed if it is open."""


def open_door_key(problem: int | str = 1) -> GymWorld:
    """A task of DoorKey-5x5: reach the goal behind a locked door. Raises LookupError if there is none."""
    return _opened(DOOR_KEY, problem)


def open_unlock_pickup(problem: int | str = 1) -> GymWorld:
    """A task of UnlockPickup: hold the box in the other room. Raises LookupError if there is none."""
    return _opened(UNLOCK_PICKUP, problem)


def open_key_corridor(problem: int | str = 1) -> GymWorld:
    """A task of KeyCorridorS3R1: hold the ball behind a locked door. Raises LookupError if there is none."""
    return _opened(KEY_CORRIDOR, problem)


def _opened(world: str, problem: int | str) -> GymWorld:
    seed = seed_of(world, problem, partial(_begins, world))
    env = _made(world)
    env.reset(seed=seed)
    static, layout = frozenset(_static(env)), sorted(_cells(env))
    things = {each.name: each.type for each in _things(env)}
    goal, wanted = _goal(env)
    return GymWorld(
        partial(_made, world),
        _carry_out,
        name=world,
        domain_name="minigrid",
        seed=seed,
        types={"cell": None, "direction": None, "door": None, "thing": None}
        | dict.fromkeys(("ball", "box", "key"), "thing"),
        objects=dict.fromkeys(layout, "cell") | dict.fromkeys(_DIRECTIONS, "direction") | things,
        actions=_ACTIONS,
        description=_DESCRIPTION,
        task=f"Cells: {', '.join(layout)}. {_CELLS}\n{_described(env)}\nIn the end, {wanted}.",
        predicates=_PREDICATES,
        facts=lambda env: static | {*_fluents(env)},
        goal=goal,
        fingerprint=lambda env: frozenset(_fluents(env)),
        candidates=_candidates,
        describe_state=_described,
        keep=(_save, _load),
        opened=(world, problem),
    )


def _made(world: str) -> gym.Env[Any, Any]:
    _, _, name = world.partition(":")
    return _Named(gym.make(f"MiniGrid-{name}-v0", disable_env_checker=True))


@cache
def _shared(world: str) -> gym.Env[Any, Any]:
    return _made(world)


@cache
def _begins(world: str, seed: int) -> str:
    env = _shared(world)
    env.reset(seed=seed)
    return f"{sorted(_cells(env))} {sorted(_fluents(env))}"


class _Named(gym.Wrapper[Any, Any, Any, Any]):
    """An environment of MiniGrid whose doors and things have names: `yellow-key`, `red-ball2`."""

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        found = self.env.reset(seed=seed, options=options)
        counts: Counter[str] = Counter()
        for each in _things(self.env):
            name = f"{each.color}-{each.type}"
            counts[name] += 1
            each.name = f"{name}{counts[name]}" if counts[name] > 1 else name
        return found


def _things(env: Any) -> list[Any]:
    """Doors and things on the grid, in the order of the grid, and the one that is held."""
    held = env.unwrapped.carrying
    on_grid = [o for o in env.unwrapped.grid.grid if o is not None and o.type not in ("wall", "goal")]
    return [*on_grid, *([] if held is None else [held])]


def _cell(place: Any) -> str:
    column, row = place
    return f"cell-{int(column)}-{int(row)}"


def _cells(env: Any) -> dict[str, Any]:
    """The cells that are no wall, and what is there."""
    grid = env.unwrapped.grid
    places = [(column, row) for column in range(grid.width) for row in range(grid.height)]
    found = {_cell(place): grid.get(*place) for place in places}
    return {cell: there for cell, there in found.items() if there is None or there.type != "wall"}


def _static(env: Any) -> Iterator[GroundAtom]:
    cells = _cells(env)
    for cell in cells:
        column, row = map(int, cell.split("-")[1:])
        around = ((column + 1, row), (column, row + 1), (column - 1, row), (column, row - 1))
        steps = ((_cell(place), way) for place, way in zip(around, _DIRECTIONS, strict=True))
        yield from (("next", cell, target, way) for target, way in steps if target in cells)
    for turn, way in enumerate(_DIRECTIONS):
        yield "right", way, _DIRECTIONS[(turn + 1) % 4]
        yield "left", way, _DIRECTIONS[turn - 1]
    doors = [(cell, each) for cell, each in cells.items() if each is not None and each.type == "door"]
    keys = [each for each in _things(env) if each.type == "key"]
    for cell, door in doors:
        yield "door-at", door.name, cell
        yield from (("fits", key.name, door.name) for key in keys if key.color == door.color)


def _fluents(env: Any) -> Iterator[GroundAtom]:
    held = env.unwrapped.carrying
    yield "at", _cell(env.unwrapped.agent_pos)
    yield "facing", _DIRECTIONS[env.unwrapped.agent_dir]
    yield ("hands-free",) if held is None else ("holding", held.name)
    for cell, there in _cells(env).items():
        if there is None:
            yield "clear", cell
        if there is None or there.can_overlap():
            yield "enterable", cell
        if there is not None and there.type == "door":
            yield from ((fact, there.name) for fact in ("open", "locked") if getattr(there, f"is_{fact}"))
        elif there is not None and there.type != "goal":
            yield "lies", there.name, cell


def _goal(env: Any) -> tuple[str, str]:
    """What is to be reached, in PDDL and in words."""
    wanted = getattr(env.unwrapped, "obj", None)
    if wanted is not None:
        return f"(holding {wanted.name})", f"the agent holds {wanted.name}"
    (cell,) = (c for c, there in _cells(env).items() if there is not None and there.type == "goal")
    return f"(at {cell})", f"the agent is in {cell}, which holds the goal"


def _pose(env: Any) -> tuple[str, str, str]:
    """Where the agent is, the cell in front of it, and the direction it faces."""
    inner = env.unwrapped
    return _cell(inner.agent_pos), _cell(inner.front_pos), _DIRECTIONS[inner.agent_dir]


def _in_front(env: Any) -> Any:
    return env.unwrapped.grid.get(*env.unwrapped.front_pos)


def _carry_out(env: Any, action: str, arguments: tuple[str, ...]) -> bool:
    if action in ("turn-left", "turn-right"):
        source, target = arguments
        if _pose(env)[2] != source:
            return False
        env.step(_LEFT if action == "turn-left" else _RIGHT)
        return _pose(env)[2] == target
    if arguments[-3:] != _pose(env):
        return False
    if action == "move":
        env.step(_FORWARD)
        return _pose(env)[0] == arguments[1]
    return _acted(env, action, arguments[0])


def _acted(env: Any, action: str, name: str) -> bool:
    """Whether the thing or door of that name was picked up, dropped or toggled."""
    there, held = _in_front(env), env.unwrapped.carrying
    if action == "drop":
        if held is None or held.name != name:
            return False
        env.step(_DROP)
        return env.unwrapped.carrying is None
    if there is None or there.type in ("wall", "goal") or there.name != name:
        return False
    if action == "pick-up":
        env.step(_PICK_UP)
        return held is None and env.unwrapped.carrying is there
    before = there.is_open, there.is_locked
    env.step(_TOGGLE)
    return (there.is_open, there.is_locked) != before


def _candidates(env: Any) -> Iterator[str]:
    here, ahead, facing = _pose(env)
    there, held, turn = _in_front(env), env.unwrapped.carrying, env.unwrapped.agent_dir
    yield f"(turn-left {facing} {_DIRECTIONS[turn - 1]})"
    yield f"(turn-right {facing} {_DIRECTIONS[(turn + 1) % 4]})"
    yield f"(move {here} {ahead} {facing})"
    if held is not None:
        yield f"(drop {held.name} {here} {ahead} {facing})"
    if there is not None and there.type not in ("wall", "goal"):
        act = "toggle" if there.type == "door" else "pick-up"
        yield f"({act} {there.name} {here} {ahead} {facing})"


def _described(env: Any) -> str:
    """The state in words, with the doors."""
    here, _, facing = _pose(env)
    held = env.unwrapped.carrying
    lines = [f"The agent is in {here} and faces {facing}."]
    lines.append("Its hands are free." if held is None else f"It holds {held.name}.")
    for cell, there in _cells(env).items():
        if there is None:
            continue
        if there.type == "door":
            state = "open" if there.is_open else "locked" if there.is_locked else "closed, but not locked"
            lines.append(f"{there.name} is in {cell}; it is {state}.")
        else:
            lines.append(f"{'The goal' if there.type == 'goal' else there.name} is in {cell}.")
    return "\n".join(lines)


def _save(env: Any) -> tuple[Any, ...]:
    """The state; what is on the grid is kept as it is, with what can change about it."""
    inner = env.unwrapped
    parts = [(o, o.cur_pos, *((o.is_open, o.is_locked) if o.type == "door" else ())) for o in _things(env)]
    pose = inner.agent_pos, inner.agent_dir, inner.carrying, inner.step_count, getattr(inner, "obj", None)
    return tuple(inner.grid.grid), tuple(parts), pose


def _load(env: Any, state: tuple[Any, ...]) -> None:
    inner, (grid, parts, pose) = env.unwrapped, state
    inner.grid.grid[:] = grid
    inner.agent_pos, inner.agent_dir, inner.carrying, inner.step_count, wanted = pose
    if wanted is not None:
        inner.obj = wanted
    for each, place, *door in parts:
        each.cur_pos = place
        if door:
            each.is_open, each.is_locked = door
