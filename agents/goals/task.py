"""A task as an observer knows it: operators that it trusts, objects, and what held when the plan began."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from agents.goals.parsing import CausalGraph, after, ground_plan, parse
from agents.operators.lifted import Operator, domain_of
from envs.pddl.language.domain import GroundAtom, read_domain, read_problem
from envs.pddl.language.vocabulary import Vocabulary
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.grounding import Limits


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
        own = (entry for entry in self.objects.items() if entry[0] not in self.vocabulary.constants)
        objects = " ".join(f"{name} - {kind}" for name, kind in own)
        init = " ".join(sorted(f"({' '.join(fact)})" for fact in self.facts))
        sections = f"(:domain observed) (:objects {objects}) (:init {init}) (:goal (and))"
        return compile_task(read_problem(f"(define (problem observed) {sections})", domain), limits).operators
