"""Three of Gymnasium's toy texts as worlds: `toytext:Taxi`, `toytext:FrozenLake`, `toytext:CliffWalking`.

All are grids; a state is one number, so it is kept and told apart by that. Nothing is random in them: the
lake is not slippery, the taxi goes where it is sent. A task is a seed: of the state that Taxi begins in, of
the map of the lake (4 by 4 or 5 by 5 tiles), of the cell that the walk along the cliff begins in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache, partial
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.envs.toy_text.cliffwalking import CliffWalkingEnv
from gymnasium.envs.toy_text.frozen_lake import FrozenLakeEnv, generate_random_map
from gymnasium.envs.toy_text.taxi import TaxiEnv

from envs.adapters.gym_world import GymWorld
from envs.adapters.pools import seed_of
from envs.pddl.language.domain import GroundAtom

TAXI, LAKE, CLIFF = "toytext:Taxi", "toytext:FrozenLake", "toytext:CliffWalking"

_DIRECTIONS = {"north": (-1, 0), "south": (1, 0), "east": (0, 1), "west": (0, -1)}
_MOVES = tuple(f"(move-{way} ?from ?to - cell)" for way in _DIRECTIONS)
_NEIGHBOURS = tuple(f"({way} ?from ?to - cell)" for way in _DIRECTIONS)
_CELLS = (
    "The cell in row R and column C is called cell-R-C; rows are counted from 0 in the north to the south, "
    "columns from 0 in the west to the east."
)
_PASSENGER = "passenger1"


def _told(general: str, actions: Mapping[str, str]) -> str:
    """A description whose rules are in the paragraphs of the actions, so that `+outlined` goes without."""
    listed = (f"{n}. {name}: {rules}" for n, (name, rules) in enumerate(actions.items(), start=1))
    return "\n\n".join((general, f"There are {len(actions)} actions:", *listed))


def _moves_told(who: str, rules: str) -> dict[str, str]:
    """The paragraphs on the four moves: `who` moves, and `rules` say more than where to."""
    return {
        f"move-{way}": f"{who} goes to the next cell in the {way}. {who} must be in the first cell, and the "
        f"second one must be next to it in the {way}. {rules} Afterwards {who[0].lower()}{who[1:]} is in the "
        "second cell, and no longer in the first."
        for way in _DIRECTIONS
    }


def _cell(row: int, column: int) -> str:
    return f"cell-{row}-{column}"


def _cells(rows: int, columns: int) -> dict[str, str]:
    return {_cell(row, column): "cell" for row in range(rows) for column in range(columns)}


def _place(cell: str) -> tuple[int, int]:
    _, row, column = cell.split("-")
    return int(row), int(column)


def _beside(cell: str, way: str) -> str:
    (row, column), (down, right) = _place(cell), _DIRECTIONS[way]
    return _cell(row + down, column + right)


def _neighbours(cells: Mapping[str, str]) -> Iterator[GroundAtom]:
    """Which cells are side by side, as facts."""
    yield from ((way, c, _beside(c, way)) for c in cells for way in _DIRECTIONS if _beside(c, way) in cells)


def _moves_from(cell: str) -> Iterator[str]:
    yield from (f"(move-{way} {cell} {_beside(cell, way)})" for way in _DIRECTIONS)


def _state(env: Any) -> int:
    return int(env.unwrapped.s)


def _set_state(env: Any, state: int) -> None:
    env.unwrapped.s = state


_KEEP = (_state, _set_state)

# --- Taxi ---

_TAXI_ACTIONS = {"move-south": 0, "move-north": 1, "move-east": 2, "move-west": 3}
_PICK_UP, _DROP_OFF, _IN_TAXI = 4, 5, 4


def open_taxi(problem: int | str = 1) -> GymWorld:
    """A task of Taxi. Raises LookupError if there is none of that name."""
    seed = seed_of(TAXI, problem, lambda seed: str(_taxi_start(seed)))
    env = _taxi()
    row, column, passenger, destination = env.decode(_taxi_start(seed))
    stands = [_cell(*place) for place in env.locs]
    roads = frozenset((*_roads(env), *(("stand", cell) for cell in stands)))
    pairs = [(c, _beside(c, "east")) for c in _cells(5, 4)]
    walls = [f"{west} and {east}" for west, east in pairs if ("east", west, east) not in roads]
    return GymWorld(
        TaxiEnv,
        _drive,
        name=TAXI,
        domain_name="taxi",
        seed=seed,
        objects=_cells(5, 5) | {_PASSENGER: "passenger"},
        actions=(*_MOVES, *(f"({a} ?passenger - passenger ?cell - cell)" for a in ("pick-up", "drop-off"))),
        description=_told(
            "A taxi drives on a grid of cells, between some of which there are walls. A passenger waits in a "
            "cell or is in the taxi, and goes where it goes. Some cells are taxi stands.",
            _moves_told("The taxi", "There must be no wall between the two.")
            | {
                "pick-up": "A passenger gets into the taxi in a cell. The taxi must be in that cell, and the "
                "passenger must wait there. Afterwards the passenger is in the taxi and waits nowhere.",
                "drop-off": "A passenger gets out of the taxi in a cell. The passenger must be in the taxi, "
                "the taxi must be in that cell, and it must be a taxi stand. Afterwards the passenger waits "
                "there, is not in the taxi, and may be picked up again.",
            },
        ),
        task=(
            f"The grid has 5 rows and 5 columns. {_CELLS} There is a wall between "
            f"{'; between '.join(walls)}. The taxi stands are {', '.join(stands)}. The taxi is in "
            f"{_cell(row, column)}. {_PASSENGER} waits in {stands[passenger]}. In the end, {_PASSENGER} "
            f"waits in {stands[destination]}."
        ),
        predicates=(
            "(taxi-at ?cell - cell)",
            "(passenger-at ?passenger - passenger ?cell - cell)",
            "(in-taxi ?passenger - passenger)",
            "(stand ?cell - cell)",
            *_NEIGHBOURS,
        ),
        facts=lambda env: roads | {*_taxi_facts(env)},
        goal=f"(passenger-at {_PASSENGER} {stands[destination]})",
        fingerprint=_state,
        candidates=_taxi_candidates,
        describe_state=lambda env: _sentences(_taxi_facts(env)),
        keep=_KEEP,
        opened=(TAXI, problem),
    )


@cache
def _taxi() -> TaxiEnv:
    return TaxiEnv()


@cache
def _taxi_start(seed: int) -> int:
    return int(_taxi().reset(seed=seed)[0])


def _roads(env: Any) -> Iterator[GroundAtom]:
    """From which cell the taxi comes to which, out of the environment's own table."""
    for cell in _cells(5, 5):
        state = env.encode(*_place(cell), 0, 0)
        for action, number in _TAXI_ACTIONS.items():
            row, column, *_ = env.decode(env.P[state][number][0][1])
            if _cell(row, column) != cell:
                yield action.removeprefix("move-"), cell, _cell(row, column)


def _taxi_at(env: Any) -> tuple[str, str]:
    """The cells of taxi and passenger; no cell for one in the taxi."""
    row, column, passenger, _ = env.unwrapped.decode(_state(env))
    waits = "" if passenger == _IN_TAXI else _cell(*env.unwrapped.locs[passenger])
    return _cell(row, column), waits


def _drive(env: Any, action: str, arguments: tuple[str, ...]) -> bool:
    cell, waits = _taxi_at(env)
    if action in _TAXI_ACTIONS:
        source, target = arguments
        return cell == source != target and _stepped(env, _TAXI_ACTIONS[action])[0] == target
    if cell != arguments[1]:
        return False
    if action == "pick-up":
        return waits == cell and _stepped(env, _PICK_UP)[1] == ""
    return waits == "" and _stepped(env, _DROP_OFF)[1] == cell


def _stepped(env: Any, action: int) -> tuple[str, str]:
    env.step(action)
    return _taxi_at(env)


def _taxi_candidates(env: Any) -> Iterable[str]:
    cell, _ = _taxi_at(env)
    return *_moves_from(cell), f"(pick-up {_PASSENGER} {cell})", f"(drop-off {_PASSENGER} {cell})"


def _taxi_facts(env: Any) -> tuple[GroundAtom, GroundAtom]:
    cell, waits = _taxi_at(env)
    return ("taxi-at", cell), ("passenger-at", _PASSENGER, waits) if waits else ("in-taxi", _PASSENGER)


# --- FrozenLake and CliffWalking: one who walks on tiles ---

_LAKE_ACTIONS = {"move-west": 0, "move-south": 1, "move-east": 2, "move-north": 3}
_CLIFF_ACTIONS = {"move-north": 0, "move-east": 1, "move-south": 2, "move-west": 3}
_TILES = {"S": "ice", "F": "ice", "H": "hole", "G": "present"}


def open_lake(problem: int | str = 1) -> GymWorld:
    """A task of FrozenLake that is not slippery. Raises LookupError if there is none of that name."""
    seed = seed_of(LAKE, problem, lambda seed: "/".join(_lake_map(seed)))
    tiles = {_cell(r, c): _TILES[tile] for r, row in enumerate(_lake_map(seed)) for c, tile in enumerate(row)}
    size = len(_lake_map(seed))
    holes = ", ".join(cell for cell, tile in tiles.items() if tile == "hole")
    target = _cell(size - 1, size - 1)
    return GymWorld(
        lambda: FrozenLakeEnv(desc=list(_lake_map(seed)), is_slippery=False),
        partial(_walk, _LAKE_ACTIONS),
        name=LAKE,
        domain_name="frozen-lake",
        seed=seed,
        objects=_cells(size, size),
        actions=_MOVES,
        description=_told(
            "Somebody walks over a frozen lake, a grid of cells. A cell is ice, or a hole in the ice, or "
            "holds a present.",
            _moves_told(
                "The walker",
                "The first cell must be ice, as from a hole there is no way out, and a walk ends at the "
                "present; the second may be anything.",
            ),
        ),
        task=(
            f"The lake has {size} rows and {size} columns. {_CELLS} The walker is in {_cell(0, 0)}. Holes: "
            f"{holes or 'none'}. The present is in {target}. All other cells are ice. In the end, the walker "
            f"is in {target}."
        ),
        predicates=(
            "(at ?cell - cell)",
            "(ice ?cell - cell)",
            "(hole ?cell - cell)",
            "(present ?cell - cell)",
            *_NEIGHBOURS,
        ),
        facts=partial(_tile_facts, tiles),
        goal=f"(at {target})",
        fingerprint=_state,
        candidates=lambda env: _moves_from(_walker_at(env)),
        describe_state=lambda env: _sentences([("at", _walker_at(env))]),
        keep=_KEEP,
        opened=(LAKE, problem),
    )


@cache
def _lake_map(seed: int) -> tuple[str, ...]:
    return tuple(generate_random_map(size=4 + seed % 2, seed=seed))


def open_cliff(problem: int | str = 1) -> GymWorld:
    """A task of CliffWalking from some cell. Raises LookupError if there is none of that name."""
    seed = seed_of(CLIFF, problem, _cliff_start)
    cells = _cells(4, 12)
    tiles = {_cell(3, column): "cliff" for column in range(1, 11)}
    start, target = _cliff_start(seed), _cell(3, 11)
    return GymWorld(
        lambda: _FromCell(CliffWalkingEnv()),
        partial(_walk, _CLIFF_ACTIONS),
        name=CLIFF,
        domain_name="cliff-walking",
        seed=seed,
        objects=cells,
        actions=_MOVES,
        description=_told(
            "Somebody walks on a grid of cells beside a cliff, which is some of the cells.",
            _moves_told("The walker", "The second cell must not be part of the cliff."),
        ),
        task=(
            f"The grid has 4 rows and 12 columns. {_CELLS} The cliff is cell-3-1 to cell-3-10, all cells of "
            f"the last row but its ends. The walker is in {start}. In the end, the walker is in {target}."
        ),
        predicates=("(at ?cell - cell)", "(cliff ?cell - cell)", *_NEIGHBOURS),
        facts=partial(_tile_facts, {c: tiles.get(c, "") for c in cells}),
        goal=f"(at {target})",
        fingerprint=_state,
        candidates=lambda env: _moves_from(_walker_at(env)),
        describe_state=lambda env: _sentences([("at", _walker_at(env))]),
        keep=_KEEP,
        opened=(CLIFF, problem),
    )


class _FromCell(gym.Wrapper[Any, Any, Any, Any]):
    """CliffWalking from the cell that its seed says, as it always begins in the same one."""

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        _, info = self.env.reset(seed=seed, options=options)
        row, column = _place(_cliff_start(seed or 0))
        _set_state(self.env, 12 * row + column)
        return _state(self.env), info


@cache
def _cliff_start(seed: int) -> str:
    """A cell that is neither cliff nor goal."""
    chosen = int(np.random.default_rng(seed).random() * 37)
    return _cell(*divmod(chosen, 12))


def _walker_at(env: Any) -> str:
    columns = env.unwrapped.ncol if hasattr(env.unwrapped, "ncol") else env.unwrapped.shape[1]
    return _cell(*divmod(_state(env), int(columns)))


def _walk(actions: Mapping[str, int], env: Any, action: str, arguments: tuple[str, ...]) -> bool:
    source, target = arguments
    if _walker_at(env) != source or source == target:
        return False
    env.step(actions[action])
    return _walker_at(env) == target


def _tile_facts(tiles: Mapping[str, str], env: Any) -> Iterator[GroundAtom]:
    yield "at", _walker_at(env)
    yield from ((tile, cell) for cell, tile in tiles.items() if tile)
    yield from _neighbours(tiles)


_SENTENCES = {
    "at": "The walker is in {}.",
    "taxi-at": "The taxi is in {}.",
    "passenger-at": "{} waits in {}.",
    "in-taxi": "{} is in the taxi.",
}


def _sentences(facts: Iterable[GroundAtom]) -> str:
    return "\n".join(_SENTENCES[name].format(*arguments) for name, *arguments in facts)
