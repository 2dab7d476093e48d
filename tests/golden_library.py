"""The parts of the golden record that no command prints: seeds, walks and scores, edits of repair.

    python -P tests/golden_library.py PART FOLDER

writes one part's files into FOLDER: JSON lines, one for each case, equal in every process. `tests/golden.py`
starts it, with the checkout on PYTHONPATH. No limit of time is met: those of repair are an hour.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from agents.llm.keys import fresh_seed, sample_seed, wire_seed
from agents.repair.repair import repair
from agents.repair.session import RepairConfig, RepairTask
from agents.sampling import derived_seed as request_seed
from envs.pddl.mutation.faults import BreakKind, mutated, sample_mutations
from envs.pddl.planning.planner import Planner
from envs.pddl.simulation.simulator import Task
from envs.registry import worlds
from envs.world import open_world
from ew.counterexample.disagreement import Disagreement, first_disagreement
from ew.counterexample.feedback import render_failure
from ew.counterexample.shrink import shrink
from ew.probes.examine import ExaminationConfig
from ew.score.config import EWConfig
from ew.score.directed import Direction, walk_across
from ew.score.registry import ESTIMATORS
from ew.score.score import ew_score
from ew.score.survival import joint_walks
from ew.walks.adapter import transitions_of
from experiments.runs.seeds import derived_seed as unit_seed
from experiments.runs.seeds import stream
from experiments.studies.candidates import Truth, truth
from experiments.studies.repair.cases import break_world
from experiments.studies.repair.study import can_be_broken

Line = Mapping[str, Any]
#: Longer than any repair takes: what is found depends on its budgets of queries and of candidates alone.
_HOUR = 3600.0
#: Mutations that are tried, until one has an EW score below 1.
_MUTATIONS = 12
#: Worlds whose repair takes minutes, and would be given up by the clock: there it is bounded by counts.
_LARGE = ("minecraft",)
_SHORT: Mapping[str, Any] = {"search": "best_first", "queries": 200, "expansions": 5, "most_expansions": 5}
#: How and in how many places the worlds are broken, by seed: each is a part, to be made at once.
FAULTS = {0: (BreakKind.REMOVED, 1), 1: (BreakKind.ADDED, 1), 2: (BreakKind.REMOVED, 2)}


def seeds() -> Iterator[Line]:
    """The values of both derivations of seeds, a request's further seeds, the first draws of streams."""
    for seed in (0, 1, 7, 2**31 - 1, 2**40 + 3):
        for labels in ((), ("problem",), (3, "domain", 0), ("grippers+compact", 10, "ü")):
            named = {"seed": seed, "labels": list(labels)}
            yield named | {"of": "request", "value": request_seed(seed, *labels)}
            yield named | {"of": "unit", "value": unit_seed(seed, *labels)}
            drawn = stream(seed, *labels).integers(0, 2**31, 4).tolist()
            yield named | {"of": "stream", "value": drawn}
        for number in range(3):
            of_sample = {"wire": wire_seed(seed), "sample": sample_seed(seed, number)}
            yield {"seed": seed, "number": number, **of_sample, "fresh": fresh_seed(seed, number)}


def walks() -> Iterator[Line]:
    """For each world a wrong model of it: walks of both sides, then what each estimator makes of it."""
    for env in worlds():
        true = truth(env, 1)
        mutation, model = _wrong_model(env, true)
        lengths = EWConfig().by.lengths(100, 10, Direction.FORWARD)
        sides = {
            "forward": walk_across(true.task, model, lengths, stream(0, "golden walks", env)),
            "backward": walk_across(model, true.task, lengths, stream(0, "golden walks", env)),
        }
        for name, across in sides.items():
            system = true.task if name == "forward" else model
            words = [list(across.walks.words(row, system)) for row in range(len(lengths))]
            yield {
                "env": env,
                "mutation": mutation,
                "walks": name,
                "first of length 10": words[9],
                "all": _digest(words),
                "ran": "".join("-" if full else str(min(int(ran), 9)) for full, ran in _fates(across)),
            }
        joint = joint_walks(true.task, model, 50, 10, stream(0, "golden walks", env))
        weights = {"forward": _number(joint.forward.sum()), "backward": _number(joint.backward.sum())}
        yield {"env": env, "mutation": mutation, "walks": "joint", **weights, "asked": joint.asked}
        for estimator in ESTIMATORS:
            yield {
                "env": env,
                "mutation": mutation,
                **_judged(env, true, model, EWConfig(estimator=estimator)),
            }


def _wrong_model(env: str, true: Truth) -> tuple[str, Task]:
    """The first of the world's mutations, drawn by a seed, that the published score sees, and its model."""
    for mutation in sample_mutations(true.domain, _MUTATIONS, stream(0, "golden mutations", env)):
        model = true.model(mutated(true.domain, mutation))
        if model is None:
            continue
        score = ew_score(true.task, model, stream(0, "golden", env)).score
        if score is not None and score < 1:
            return str(mutation), model
    raise RuntimeError(f"{env}: none of {_MUTATIONS} mutations has an EW score below 1")


def _fates(across: Any) -> Iterator[tuple[bool, int]]:
    return zip(across.executable.tolist(), across.ran.tolist(), strict=True)


def _judged(env: str, true: Truth, model: Task, config: EWConfig) -> Line:
    """A score, the first counterexample by the same seed, its words, and the shortest that it shrinks to."""
    world = open_world(env, 1)
    score = asdict(ew_score(transitions_of(world), model, stream(0, "golden", env), config))
    del score["simulator"]  # these worlds have none
    rounded = json.loads(json.dumps(score, default=str), parse_float=lambda text: _number(float(text)))
    found = first_disagreement(world, model, stream(0, "golden", env), config)
    judged: dict[str, Any] = {"estimator": config.estimator, "score": rounded}
    if found is None:
        return judged | {"counterexample": None}
    short = shrink(world, model, found)
    shrunk = {"removed": short.removed, "queries": short.world_queries, "minimal": short.minimal}
    return judged | {
        "counterexample": _told(found),
        "words": render_failure(found),
        "shortest": _told(short.disagreement) | shrunk,
    }


def _told(found: Disagreement) -> Line:
    return {"direction": found.direction.value, "walk": list(found.walk), "state": _digest(found.state)}


def repairs(seed: int) -> Iterator[Line]:
    """What `repair` finds in each world, broken by a seed in a way that the world's domain can be."""
    limits = RepairConfig(
        wall_s=_HOUR, constraints_s=_HOUR, plan_s=_HOUR, planner=Planner(wall_s=_HOUR),
        examination=ExaminationConfig(plans_s=0, stops=False),  # a planner's limit is a matter of the clock
    )  # fmt: skip
    wished, count = FAULTS[seed]
    for env in worlds():
        fitting = replace(limits, **_SHORT) if env in _LARGE else limits
        kind = wished if can_be_broken(env, 1, wished) else BreakKind.REMOVED
        named = {"env": env, "seed": seed, "search": fitting.search}
        yield named | _repaired(env, seed, kind, count, fitting)


def _repaired(env: str, seed: int, kind: BreakKind, count: int, limits: RepairConfig) -> Line:
    case = break_world(env, 1, kind, count, seed)
    found = repair([RepairTask(open_world(env, 1), case.given)], stream(seed, "repair", env, 1), limits)
    return {
        "faults": [str(fault) for fault in case.broken.faults],
        "verdict": found.verdict.value,
        "goal": found.goal.value,
        "edits": list(found.described),
        "unexplained": found.unexplained,
        "rounds": found.rounds,
        "world queries": found.world_queries,
        "goal walk": list(found.goal_walk),
        "texts": _digest([found.domain, *found.problems]),
    }


def _digest(value: object) -> str:
    """The beginning of the SHA-256 of a value's JSON."""
    return hashlib.sha256(json.dumps(value).encode("ascii")).hexdigest()[:16]


def _number(value: float | np.floating[Any]) -> float:
    """To nine digits: what another order of additions may change is none of them."""
    return float(f"{float(value):.9g}")


#: Parts by name; each gives the lines of one file.
LIBRARY: Mapping[str, Callable[[], Iterator[Line]]] = {
    "seeds": seeds,
    "walks": walks,
    **{f"repairs-{seed}": partial(repairs, seed) for seed in FAULTS},
}


if __name__ == "__main__":
    name, folder = sys.argv[1], Path(sys.argv[2])
    with (folder / f"{name}.jsonl").open("w", encoding="utf-8", newline="", buffering=1) as file:
        file.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in LIBRARY[name]())
