"""What an observer knows of an agent: its task, what it was seen to do, and the goals that it may have.

The operators are the true ones, or such as were learned. A subgoal is a conjunction of literals with
variables, of which one, the asked one, stands for what is to be found out: `(object-of-type ?x ?kind)` says
that some object is of the type asked for. A goal is a set of constants for the asked variable. What may be
wanted is listed; nothing else is ever predicted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from agents.goals.parsing import CausalGraph, after, ground_plan, parse
from agents.operators.lifted import NamedLiteral, Operator, domain_of, is_variable
from agents.operators.matching import bindings, by_predicate
from envs.pddl.language.domain import GroundAtom, read_domain, read_problem
from envs.pddl.language.template import problem_template
from envs.pddl.language.vocabulary import Vocabulary
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.grounding import Limits

#: What is wanted: one constant a subgoal.
Goal = frozenset[str]


@dataclass(frozen=True)
class Observed:
    """What somebody saw of an agent. The operators are the true ones, or such as were learned."""

    vocabulary: Vocabulary
    operators: tuple[Operator, ...]
    objects: Mapping[str, str]  #: object to its type, constants included
    facts: frozenset[GroundAtom]  #: what held before the plan
    plan: tuple[str, ...]  #: operator texts, as far as they were seen

    @property
    def graph(self) -> CausalGraph:
        """The plan, parsed."""
        return parse(ground_plan(self.operators, self.plan), self.vocabulary.constants)

    @property
    def reached(self) -> frozenset[GroundAtom]:
        """What holds after the plan, by the operators."""
        return after(ground_plan(self.operators, self.plan), self.facts)

    def steps(self, limits: Limits | None = None) -> tuple[str, ...]:
        """Every step that can ever be taken in the task. Raises what `compile_task` raises."""
        domain = read_domain(domain_of(self.vocabulary, self.operators, "observed"))
        own = {name: kind for name, kind in self.objects.items() if name not in self.vocabulary.constants}
        empty = read_problem(problem_template("task", "observed", own), domain)
        return compile_task(replace(empty, init=self.facts), limits).operators


@dataclass(frozen=True)
class GoalSpace:
    """All goals of `size` different subgoals."""

    pattern: tuple[NamedLiteral, ...]  #: positive, and together they name the asked variable
    asked: str  #: a variable
    candidates: tuple[str, ...]  #: sorted
    size: int = 1

    def subgoal(self, wanted: str) -> tuple[NamedLiteral, ...]:
        """The pattern for one constant."""
        return tuple(literal.renamed({self.asked: wanted}) for literal in self.pattern)

    def instances(self, wanted: str, facts: Iterable[GroundAtom]) -> tuple[tuple[GroundAtom, ...], ...]:
        """All ways in which the facts fulfil the subgoal, as the atoms that do, sorted."""
        parts = self.subgoal(wanted)
        found = bindings(parts, by_predicate(facts))
        return tuple(sorted(tuple(part.ground(binding) for part in parts) for binding in found))

    def beyond(self, operators: Iterable[Operator]) -> tuple[str, ...]:
        """The candidates that none of the operators can bring about: for each, an atom that none adds."""
        adds = [effect for operator in operators for effect in operator.effects if effect.positive]
        return tuple(
            wanted
            for wanted in self.candidates
            if not all(any(_may_give(effect, part) for effect in adds) for part in self.subgoal(wanted))
        )

    def show(self, wanted: str) -> str:
        """The subgoal as PDDL, with its variables."""
        parts = " ".join(map(str, self.subgoal(wanted)))
        return parts if len(self.pattern) == 1 else f"(and {parts})"


def _may_give(effect: NamedLiteral, part: NamedLiteral) -> bool:
    """Whether some instance of a lifted effect is one of a part of a subgoal."""
    return effect.predicate == part.predicate and all(
        one == other or is_variable(one) or is_variable(other)
        for one, other in zip(effect.terms, part.terms, strict=True)
    )
