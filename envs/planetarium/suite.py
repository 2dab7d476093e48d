"""Tasks of any world as pairs, each at one of the three levels of its texts.

The tasks are those for evaluation and then, without end, those on demand. Every task comes at every level,
one after the other; the level that it comes at first changes from task to task, so that the test split,
which takes a task once, has all levels.

What a goal implies is not always known in these worlds, but two tasks whose initial states are not the same
up to names are different for sure. So tasks with one initial state are a family. Digests are of canonical
forms of the problems as they are written: equal for equivalent problems only, not for all of them.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from envs.folder import TaskTexts
from envs.pddl.equivalence.deadline import Deadline
from envs.pddl.equivalence.goals.goal import read_goal
from envs.pddl.equivalence.graphs.problem_graphs import ProblemGraphs
from envs.pddl.language.domain import read_domain, read_problem, read_vocabulary
from envs.planetarium.drawing import PairCandidate
from envs.planetarium.pairs import Pair
from envs.reading import read_facts
from envs.source import read_texts
from envs.variants import WRITTEN

#: Tasks for evaluation; beyond them they are made on demand.
_SHIPPED = 10


def task_candidate(world: str, index: int) -> PairCandidate:
    """Candidate number `index`, from 0, of a built-in world. Raises WorldNotFound, LabellingFailed."""
    number, turn = divmod(index, len(WRITTEN))
    level = WRITTEN[(turn + number) % len(WRITTEN)]
    task = number + 1 if number < _SHIPPED else f"g{number + 1 - _SHIPPED}"
    texts = read_texts(f"{world}+{level}", task)
    own, family = _digests(world, task)
    pair = pair_of_texts(texts, f"{world}-{texts.problem_name}-{level}", world, level.value)
    return PairCandidate(replace(pair, certificate=own), family)


def pair_of_texts(texts: TaskTexts, name: str, world: str, level: str) -> Pair:
    """A task of any world as a pair without a digest. Raises ValueError as `read_facts`."""
    facts = read_facts(texts.problem, read_vocabulary(texts.domain))
    size, objects = len(facts.init) + len(facts.goal), len(facts.objects)
    return Pair(name, world, texts.task, texts.problem, level=level, size=size, objects=objects)


def task_candidates(world: str, start: int, stop: int) -> tuple[PairCandidate, ...]:
    """The candidates with numbers from `start` to before `stop`."""
    return tuple(task_candidate(world, index) for index in range(start, stop))


@lru_cache(maxsize=8)
def _digests(world: str, task: int | str) -> tuple[str, str]:
    """Of the problem as it is written, and of its initial state alone."""
    texts = read_texts(world, task)
    problem = read_problem(texts.problem, read_domain(texts.domain))
    graphs = ProblemGraphs(problem, Deadline(None))
    return graphs.digest(read_goal(problem), placeholder=False), graphs.init.form.digest
