"""A model that is too large to be ground, walked without being listed, within bounds.

Walks draw the model's operators (`ew.lifted.problem`) and ask the world through `WorldWalks`, so the score
and the look for a disagreement pay for each of the world's states once, out of one budget that covers the
longest walks of both, and of a score that has to be begun anew. The processor time of this thread is read
between any two questions to the model, so that a busy machine changes no verdict, and a model whose
conditions have too many literals for one question is not begun. Where it cannot be done one of `GAVE_UP` is
raised.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from envs.pddl.interface import World
from envs.pddl.language.domain import Problem
from envs.pddl.simulation.grounding import written_out
from envs.pddl.simulation.lifted import Forall, Schema, lift
from ew.counterexample.disagreement import Disagreement, state_before
from ew.lifted.joins import JoinTooLarge
from ew.lifted.problem import LiftedSystem
from ew.lifted.relations import TooManyAtoms
from ew.lifted.sampled import Listed, NamedOperators, SampledSystem, SamplingGaveUp
from ew.lifted.sampled_score import NotCountable, sampled_disagreement, sampled_score
from ew.score.config import EWConfig
from ew.score.score import EWScore
from ew.walks.adapter import transitions_of
from ew.walks.budget import BudgetExceeded, QueryBudget, most_queries
from ew.walks.world_walks import WorldWalks

#: Literals of one action, quantifiers written out: each may be decided for all rows of a join at once.
MAX_LITERALS = 1000
#: How often all walks may be made: for `survival`, `prefix` in its stead, and the look for a disagreement.
PASSES = 3


class OutOfTime(RuntimeError):
    """The processor time was used up before the walks ended. Plain data; survives pickling."""

    def __init__(self, seconds: float):
        super().__init__(seconds)
        self.seconds = seconds

    def __str__(self) -> str:
        taken = f"the walks took more than {self.seconds:g} s of processor time"
        return f"{taken}: take fewer walks, or give them more time"


class TooLong(ValueError):
    """An action's conditions and effects are too many to be decided. Plain data; survives pickling."""

    def __init__(self, action: str, literals: int):
        super().__init__(action, literals)
        self.action = action
        self.literals = literals

    def __str__(self) -> str:
        return f"action `{self.action}` has {self.literals} literals written out, more than {MAX_LITERALS}"


#: Why a model cannot be walked even so.
GAVE_UP = (SamplingGaveUp, JoinTooLarge, TooManyAtoms, BudgetExceeded, OutOfTime, TooLong)


class Unlisted:
    """A world and a model that cannot be listed; for one judgement, as its time runs from the start."""

    def __init__(self, world: World, model: Problem, config: EWConfig, cpu_s: float):
        for schema in lift(model).schemas:
            _check_length(schema)
        self._world = world
        self._config = config
        self._asked = WorldWalks(transitions_of(world), QueryBudget(PASSES * most_queries(config)))
        self._real = Listed(self._asked)
        self._model = Timed(LiftedSystem(model), cpu_s)

    @property
    def world_queries(self) -> int:
        """Queries that reached the world so far."""
        return self._asked.queries

    def score(self, rng: np.random.Generator) -> EWScore:
        """The EW score; by `prefix`, the same number, where the model cannot be counted for `survival`."""
        try:
            return sampled_score(self._real, self._model, rng, self._config)
        except NotCountable:
            config = replace(self._config, estimator="prefix")
            return sampled_score(self._real, self._model, rng, config)

    def disagreement(self, rng: np.random.Generator) -> Disagreement | None:
        """The shortest that walks of t_max meet; for `prefix` and an equal seed the walks of the score."""
        found = sampled_disagreement(self._real, self._model, rng, self._config)
        if found is None:
            return None
        direction, walk = found
        return Disagreement(direction, walk, state_before(self._world, walk))

    def only(self, operators: Sequence[str]) -> NamedOperators:
        """The model with these operators alone, as a transition system."""
        return NamedOperators(self._model, operators)


class Timed:
    """A SampledSystem that raises OutOfTime when asked after this thread's `cpu_s` more seconds of work."""

    def __init__(self, system: SampledSystem, cpu_s: float):
        self._system = system
        self._cpu_s = cpu_s
        self._end = time.thread_time() + cpu_s

    def initial(self) -> Any:
        """The initial state."""
        return self._in_time().initial()

    def draw(self, state: Any, rng: np.random.Generator) -> str | None:
        """A uniformly chosen applicable operator; None if there is none."""
        return self._in_time().draw(state, rng)

    def runs(self, state: Any, operator: str) -> bool:
        """Whether the operator is applicable."""
        return self._in_time().runs(state, operator)

    def successor(self, state: Any, operator: str) -> Any:
        """The state after an applicable operator."""
        return self._in_time().successor(state, operator)

    def count(self, state: Any) -> int | None:
        """How many operators are applicable, if that is known."""
        return self._in_time().count(state)

    def listed(self, state: Any) -> tuple[str, ...] | None:
        """The applicable operators, unless they are too many."""
        return self._in_time().listed(state)

    @property
    def asked(self) -> int:
        """Questions answered so far."""
        return self._system.asked

    def _in_time(self) -> SampledSystem:
        if time.thread_time() > self._end:
            raise OutOfTime(self._cpu_s)
        return self._system


def _check_length(schema: Schema) -> None:
    effects = sum(written_out(Forall(e.variables, e.condition), schema) for e in schema.effects)
    literals = written_out(schema.precondition, schema) + effects
    if literals > MAX_LITERALS:
        raise TooLong(schema.name, literals)
