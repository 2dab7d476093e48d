"""Which tasks a broken domain is repaired in, which other ones judge it, and worlds that have both.

A figure about a repaired domain is a figure about tasks that repair has not seen, with other objects: what
holds for the objects of one task may hold for no others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from envs.pddl.language.domain import Problem, read_domain, read_problem
from envs.pddl.language.issues import PDDLError
from envs.pddl.language.render import render_formula
from envs.source import WorldNotFound, read_texts
from envs.world import open_world
from experiments.runs.units import feedback_task
from experiments.studies.candidates import model_of

#: The domains of pddlgym that can be read, have three tasks to be seen and three others with other objects,
#: and whose rules are those of no bundled world and of no other one here.
PDDLGYM: tuple[str, ...] = tuple(
    f"pddlgym:{name}"
    for name in (
        "baking", "blocks", "blocks_medium", "conditionalblocks", "conditionalferry", "doors",
        "easynewspapers", "elevator", "ferry", "fridge", "glibrearrangement", "hanoi",
        "hanoi_operator_actions", "hiking", "lifelong_tiny_gripper", "manyferry", "manylogistics", "maze",
        "minecraft", "quantifiedblocks", "quantifiedblocks2", "rearrangement-notyping",
        "searchandrescue_level6", "sokoban", "spannerlearning", "trapnewspapers", "travel", "travelhard",
        "tsp", "tsp_operator_actions",
    )
)  # fmt: skip
#: Tasks that repair sees at most where no flag says how many.
SEEN = 3
#: Tasks that are looked through for some with other objects.
_LOOKED_THROUGH = 12
#: A word behind an opening parenthesis.
_HEAD = re.compile(r"\(([^\s()?]+)")


@dataclass(frozen=True)
class TaskSplit:
    """Tasks of a world, by number or stem."""

    seen: tuple[int | str, ...]  #: that a domain is repaired in
    unseen: tuple[int | str, ...]  #: that it is judged on; none has just the objects of one that is seen


@lru_cache(maxsize=512)
def split_tasks(env: str, first: int, seen: int | None, unseen: int) -> TaskSplit:
    """`seen` tasks from number `first` on, and `unseen` later ones, or as many as there are.

    Where `seen` is None they are up to three, those of the feedback pool or else of the first half. Tasks
    that cannot be read are passed over, and of the unseen ones those too large to ground. Raises as
    `true_problem` if there is none that can be.
    """
    numbers = list(_there(env, range(first, first + _LOOKED_THROUGH)))
    own = list(_there(env, map(feedback_task, range(1, SEEN + 1)))) if seen is None else numbers[:seen]
    own = own or numbers[: min(SEEN, (len(numbers) + 1) // 2)]
    if not own:
        true_problem(env, first)  # says why
    taken = {_objects(env, task) for task in own}
    others = (n for n in numbers if n not in own and _objects(env, n) not in taken and _is_ground(env, n))
    return TaskSplit(tuple(own), tuple(islice(others, unseen)))


@lru_cache(maxsize=512)
def true_problem(env: str, task: int | str) -> Problem:
    """A task by the world's own rules. Raises WorldNotFound, PDDLError."""
    texts = read_texts(env, task)
    return read_problem(texts.problem, read_domain(texts.domain))


@lru_cache(maxsize=64)
def goal_predicates(env: str) -> frozenset[str]:
    """The predicates that the goals of a world's first tasks name; no domain without them can state those."""
    goals = [true_problem(env, task).goal for task in _there(env, range(1, 2 * SEEN + 1))]
    return frozenset(head for goal in goals for head in _HEAD.findall(render_formula(goal)))


def _there(env: str, tasks: Iterable[int | str]) -> Iterator[int | str]:
    """The tasks that can be read, up to the first that is not there."""
    for task in tasks:
        try:
            true_problem(env, task)
        except WorldNotFound:
            return
        except PDDLError:
            continue
        yield task


def _objects(env: str, task: int | str) -> frozenset[tuple[str, str]]:
    return frozenset(true_problem(env, task).objects.items())


def _is_ground(env: str, task: int | str) -> bool:
    return model_of(true_problem(env, task), open_world(env, task)) is not None
