"""The units of the operators study: learn from so many demonstrations, and compare with the true domain.

A method is a learner of traces, by its name in `LEARNERS`. In each repeat the demonstrations are drawn in an
order of the repeat's own, and a unit takes the first of them, so its traces hold those of every smaller one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from agents.operators.learner import learn_operators
from agents.operators.lifted import Operator, domain_of
from agents.operators.symbolic import learn_symbolically
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.simulation.allowance import limits_in
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.grounding import GroundingExploded, Limits
from envs.pddl.traces.trace import Traces
from envs.source import read_texts
from envs.tasks import shuffled
from envs.world import open_world
from ew.score.config import EWConfig
from ew.score.score import EWScore, EWVerdict, ew_score
from ew.walks.adapter import transitions_of
from experiments.runs.records import content_key
from experiments.runs.seeds import stream
from experiments.studies.operators.accuracy import Test
from experiments.studies.operators.demonstrations import (
    WORLD,
    Demonstration,
    demonstrations,
    held_out,
    minecraft,
    test_states,
    traces_of,
)
from experiments.studies.study import Record, unit_key

#: Method to what it makes of traces. Guided methods are not here: they are given what these have learned.
LEARNERS: Mapping[str, Callable[[Traces], tuple[Operator, ...]]] = MappingProxyType(
    {"symbolic": learn_symbolically, "known": learn_operators}
)
#: Of the records: 2 holds both directions of each EW.
_FORM = 2
#: Lengths of the random walks that lead away from each state of the test.
ASTRAY = (1, 2, 4, 8)


@dataclass(frozen=True)
class LearnUnit:
    """One method, number of demonstrations and repeat."""

    method: str
    count: int
    repeat: int
    tasks: tuple[int, ...]  #: the world's tasks that EW is taken in
    walks: int
    states: int  #: of the test, for each action
    seed: int
    plain: bool = False  #: refuted proposals are sampled again as published, without the reason

    @property
    def key(self) -> str:
        """Content hash, which a record in another form does not have: such a unit is done again."""
        return content_key({"unit": unit_key(self), "form": _FORM})


def work(unit: LearnUnit) -> Record:
    """The record of one unit; runs in a worker."""
    traces = traces_of(drawn(unit.seed, unit.repeat)[: unit.count])
    learned = LEARNERS[unit.method](traces)
    verdicts = the_test(unit.states).judge(learned, named=unit.method == "known")
    scores = [_ew(learned, task, unit) for task in unit.tasks]
    return {
        "method": unit.method,
        "count": unit.count,
        "repeat": unit.repeat,
        "steps": traces.steps,
        "operators": len(learned),
        "actions": len(verdicts),
        "recovered": sum(v.recovered for v in verdicts),
        "unseen": sum(not v.learned for v in verdicts),
        "unjudged": sum(not v.judged for v in verdicts),
        "wrong_effects": [v.action for v in verdicts if v.learned and not v.same_effects],
        "wrong_conditions": [v.action for v in verdicts if v.same_effects and not v.same_conditions],
        "undetermined": sum(len(operator.undetermined) for operator in learned),
        "ew": [None if score is None else score.score for score in scores],
        "directions": [None if score is None else [score.forward, score.backward] for score in scores],
    }


def drawn(seed: int, repeat: int) -> list[Demonstration]:
    """The demonstrations to learn from, in the order of one repeat."""
    pool = [d for d in demonstrations() if d.plan is not None and not held_out(d)]
    return shuffled(stream(seed, "operators", repeat), pool)


@lru_cache(maxsize=1)
def the_test(each: int) -> Test:
    """What learned operators are compared with: `each` states of each action, and those not far away."""
    return Test(minecraft(), test_states(each, ASTRAY))


def _ew(learned: tuple[Operator, ...], number: int, unit: LearnUnit) -> EWScore | None:
    """EW of the learned domain in a task; None if its operators are none of the world's, or too many."""
    world = open_world(WORLD, number)
    arities = {action.name: len(action.parameters) for action in world.actions}
    if any(arities.get(o.name) != len(o.parameters) for o in learned):
        return None
    domain = read_domain(domain_of(minecraft().vocabulary, learned))
    limits = limits_in(world, Limits())
    try:
        model = compile_task(read_problem(read_texts(WORLD, number).problem, domain), limits)
    except GroundingExploded:
        return None
    config = EWConfig(walks=unit.walks, estimator="survival")
    rng = stream(unit.seed, "operators-ew", unit.repeat, number)
    found = ew_score(transitions_of(world), model, rng, config)
    return found if found.verdict is EWVerdict.SCORED else None
