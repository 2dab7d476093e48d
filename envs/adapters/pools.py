"""The tasks of a simulator: seeds of its environment, told apart by what they begin with.

Seeds are looked at from 0 on. What a seed begins with decides which pool it belongs to, so that no task of
one pool is one of another; those that begin alike count once.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable

from envs.tasks import Pool

#: How many of eight shares of all tasks each pool has.
_SHARES = (Pool.EXAMPLE, *[Pool.FEEDBACK] * 2, *[Pool.EVALUATION] * 3, *[Pool.ON_DEMAND] * 2)
_STEM = re.compile(r"([pfg])0*([1-9]\d*)")
_POOLS = {"p": Pool.EVALUATION, "f": Pool.FEEDBACK, "g": Pool.ON_DEMAND}
#: Evaluation and feedback tasks, as bundled worlds have them; tasks on demand are as many as there are.
_MOST = {Pool.EXAMPLE: 1, Pool.EVALUATION: 10, Pool.FEEDBACK: 5}
#: Where so many seeds bring no further task, there is none.
_SEEDS = 2_000


def seed_of(world: str, problem: int | str, begins: Callable[[int], str]) -> int:
    """The seed of a task: a number or `p03`, `f01` for feedback, `g7` on demand, or `example`.

    `begins` writes down what a seed begins with. Raises LookupError if there is no such task.
    """
    pool, number = _numbered(problem)
    seen: set[str] = set()
    found = 0
    for seed in range(_SEEDS):
        start = begins(seed)
        if start in seen:
            continue
        seen.add(start)
        digest = hashlib.sha256(f"{world} {start}".encode()).digest()
        if _SHARES[digest[0] % len(_SHARES)] is pool:
            found += 1
            if found == number:
                return seed
    raise LookupError(f"it has {found} tasks of that kind")


def _numbered(problem: int | str) -> tuple[Pool, int]:
    if problem == "example":
        return Pool.EXAMPLE, 1
    named = _STEM.fullmatch(f"p{problem}" if isinstance(problem, int) else problem)
    if named is None:
        raise LookupError("its tasks are example, p01 to p10, f01 to f05, and g1, g2, …")
    pool, number = _POOLS[named[1]], int(named[2])
    if number > _MOST.get(pool, number):
        raise LookupError(f"its tasks of that kind are {_MOST[pool]}; any number more are g1, g2, …")
    return pool, number
