"""A world model in words, from the meanings that its predicates and parameters were given.

For people who cannot read PDDL, and for words about steps of a plan. Two models that differ in a literal are
said differently: where a meaning leaves out an argument, or is that of two predicates, the predicate's name
and arguments are added.

A model also validates plans for instructions (`Advisor`). A plan is followed in it, and the first fault
reported: a step whose precondition is not met, a step that is no action or has parameters that do not fit, a
goal that is not met in the end, or stages of an instruction that were reached in another order. Conditions
are said in the meanings of the model's predicates.

Source: Guan et al. 2023, Appendix A.12.3 (the first three); order and words are ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import accumulate, pairwise

from agents.worldmodel.model import WorldModel
from envs.pddl.language.domain import Domain, Problem, read_domain, read_problem
from envs.pddl.language.prose import letter, say_action
from envs.pddl.language.sexpr import Group, Node, Source, read_sexprs
from envs.pddl.language.vocabulary import Parameters
from envs.pddl.planning.validate import PlanFault, PlanReport, validate_plan
from envs.pddl.simulation.reference import ReferenceSimulator

_OPENING = re.compile(r"^(?:(?:it is )?true (?:if|when|iff)|whether|holds (?:if|when))\s+", re.IGNORECASE)
_VARIABLE = re.compile(r"\?[a-z0-9_][\w.+-]*", re.IGNORECASE)


@dataclass(frozen=True)
class Sayer:
    """The words of one model."""

    model: WorldModel
    domain: Domain
    meanings: Mapping[str, str]  #: predicate to a clause over its declared variables

    @classmethod
    def of(cls, model: WorldModel) -> Sayer:
        """The words of `model`, whose text reads without errors."""
        domain = read_domain(model.text())
        declared = domain.vocabulary.predicates
        clauses = {note.name: _clause(note.meaning) for note in model.predicates}
        shapes = {name: _shape(clause, declared[name]) for name, clause in clauses.items()}
        said = list(shapes.values())
        clear = {
            name: clauses[name]
            for name, shape in shapes.items()
            if said.count(shape) == 1 and _names_all(clauses[name], declared[name])
        }
        return cls(model, domain, clear)

    def say(self, actions: Iterable[str] | None = None) -> str:
        """What the actions need and change, a paragraph each; all of them if none are named."""
        chosen = self.domain.actions if actions is None else actions
        return "\n\n".join(self._say_action(name) for name in chosen)

    def show(self) -> str:
        """All actions as `say` says them, each with how a step with it is written, for somebody who plans.

        What is said of parameters names other ones by their letters too.
        """
        return "\n\n".join(map(self._shown, self.domain.actions))

    def atom(self, predicate: str, terms: Sequence[str], holds: bool) -> str:
        """A clause that says that an atom holds, or that it does not."""
        meaning = self.meanings.get(predicate)
        if meaning is None:
            atom = f"({' '.join((predicate, *terms))})"
            return f"{atom} is {'true' if holds else 'false'}"
        variables = (name for name, _ in self.domain.vocabulary.predicates[predicate])
        names = dict(zip(variables, terms, strict=True))
        clause = _VARIABLE.sub(lambda found: names[found[0].lower()], meaning)
        return clause if holds else f"it is not the case that {clause}"

    def _shown(self, name: str) -> str:
        parameters = self.domain.actions[name].parameters
        letters = {variable.symbol.lower(): letter(place) for place, variable in enumerate(parameters)}
        said = _VARIABLE.sub(lambda found: letters.get(found[0].lower(), found[0]), self._say_action(name))
        return f"{said}\nWritten: ({' '.join((name, *letters.values()))})"

    def _say_action(self, name: str) -> str:
        written = [action for action in self.model.actions if action.signature.name == name]
        meant = {p.name: m for a in written for p, m in zip(a.signature.parameters, a.meanings, strict=False)}
        brief = self.model.brief.action(name)
        about = brief.text.split(". ")[0].strip().rstrip(".") + "." if brief else ""
        return say_action(self.domain.actions[name], self.atom, lambda kind: kind, about, meant)


def _clause(meaning: str) -> str:
    """`true if the lamp ?l is lit.` as a clause: `the lamp ?l is lit`."""
    return _OPENING.sub("", meaning.strip()).rstrip(" .;")


def _shape(clause: str, parameters: Parameters) -> str:
    """The clause with its variables by their places: equal for clauses that cannot be told apart."""
    places = {name: str(place) for place, (name, _) in enumerate(parameters)}
    return _VARIABLE.sub(lambda found: f"?{places.get(found[0].lower(), found[0])}", clause).lower()


def _names_all(clause: str, parameters: Parameters) -> bool:
    """Whether a clause names each variable and no other."""
    named = {name.lower() for name in _VARIABLE.findall(clause)}
    return bool(clause) and named == {name for name, _ in parameters}


class AdviceKind(StrEnum):
    """What a plan is told."""

    PRECONDITION = "unmet precondition"
    PARAMETER = "invalid parameter"  #: no such action or object, or of another type, or too many or few
    GOAL = "unmet goal"
    ORDER = "other order"  #: stages that were reached in another order than asked for


@dataclass(frozen=True)
class Advice:
    """What is wrong with a plan."""

    kind: AdviceKind
    words: str


@dataclass(frozen=True)
class Advisor:
    """Follows plans for one instruction in a model whose text reads without errors."""

    model: WorldModel
    problems: tuple[str, ...]  #: the stages, one at least; PDDL over the model's predicates

    def advise(self, plan: Sequence[str]) -> Advice | None:
        """The first fault of `plan`; None if the model finds none."""
        report = validate_plan(self._stages[-1], plan)
        if report.failed_step is not None:
            return self._of_step(report, report.failed_step)
        if report.valid:
            return self._of_order(plan)
        unmet = self._say(report.unmet_goals)
        return Advice(AdviceKind.GOAL, f"Every step can be done, but in the end this does not hold:\n{unmet}")

    @cached_property
    def _stages(self) -> tuple[Problem, ...]:
        return tuple(read_problem(text, self._sayer.domain) for text in self.problems)

    @cached_property
    def _sayer(self) -> Sayer:
        return Sayer.of(self.model)

    def _of_step(self, report: PlanReport, index: int) -> Advice:
        step = f"Step {index + 1}, {report.plan[index]},"
        if report.reason is PlanFault.PRECONDITION:
            unmet = self._say(report.false_conditions)
            words = f"{step} cannot be done there. It needs what does not hold at that point:\n{unmet}"
            return Advice(AdviceKind.PRECONDITION, words)
        return Advice(AdviceKind.PARAMETER, f"{step} is no action that there is: {report.detail}.")

    def _of_order(self, plan: Sequence[str]) -> Advice | None:
        """Whether every stage before the last is reached later than the one before it."""
        simulator = ReferenceSimulator(self._stages[-1])
        states = list(accumulate(plan, simulator.successor, initial=simulator.initial()))
        reached = [
            next((i for i, state in enumerate(states) if simulator.holds(stage.goal, state, {})), len(states))
            for stage in self._stages[:-1]
        ]
        for place, (earlier, later) in enumerate(pairwise(reached)):
            if earlier >= later:
                words = (
                    "The order is not the one asked for. First this has to become true:\n"
                    f"{self._goal(place)}\nand only after it this:\n{self._goal(place + 1)}"
                )
                return Advice(AdviceKind.ORDER, words)
        return None

    def _goal(self, place: int) -> str:
        """A stage's goal in words, a part a line."""
        (form,) = read_sexprs(Source(self.problems[place], "problem"))
        parts = form.items if isinstance(form, Group) else []
        goals = (part for part in parts if isinstance(part, Group) and part.head == ":goal")
        return self._say([str(node) for goal in goals for node in goal.items[1:]])

    def _say(self, conditions: Sequence[str]) -> str:
        """Conditions in PDDL as a list of sentences."""
        nodes = [node for text in conditions for node in read_sexprs(Source(text, "condition"))]
        parts = [part for node in nodes for part in _conjuncts(node)]
        return "\n".join(f"- {self._clause(part)}" for part in parts)

    def _clause(self, node: Node, holds: bool = True) -> str:
        if not isinstance(node, Group):
            return str(node)
        if node.head == "not" and len(node.items) == 2:
            return self._clause(node.items[1], not holds)
        if node.head in ("or", "and") and holds:
            joint = f"; {node.head} "
            return f"({joint.join(self._clause(part) for part in node.parts)})"
        terms = [str(item) for item in node.items[1:]]
        if node.head == "=":
            return f"{' and '.join(terms)} are {'the same' if holds else 'different'}"
        if node.head in self._sayer.domain.predicates:
            return self._sayer.atom(node.head, terms, holds)
        return f"{node} is {'true' if holds else 'false'}"


def _conjuncts(node: Node) -> list[Node]:
    """The parts of a conjunction, however it is nested."""
    if isinstance(node, Group) and node.head == "and":
        return [part for item in node.items[1:] for part in _conjuncts(item)]
    return [node]
