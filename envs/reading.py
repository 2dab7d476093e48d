"""A task's PDDL, read: a domain's and a problem's text, each checked once, and the plain facts of a problem.

`DomainText` and `ProblemText` own what they read, so nothing here outlives the world that was opened.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from envs.pddl.diagnosis.domain import CheckedDomain, check_domain
from envs.pddl.diagnosis.problem import CheckedProblem, check_problem
from envs.pddl.language.domain import Domain, GroundAtom, Problem, build_domain, build_problem, vocabulary_in
from envs.pddl.language.issues import refuse_errors
from envs.pddl.language.sexpr import Group, Node
from envs.pddl.language.vocabulary import Vocabulary
from envs.tasks import Literal, TaskFacts

_NO_ATOM = ("and", "or", "imply", "exists", "forall", "=")


class DomainText:
    """A domain's PDDL, read when it is first asked for, and only once."""

    def __init__(self, text: str):
        self.text = text

    @cached_property
    def _checked(self) -> CheckedDomain:
        return check_domain(self.text)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """What it declares. Raises PDDLError."""
        return vocabulary_in(self._checked)

    @cached_property
    def domain(self) -> Domain:
        """The domain. Raises PDDLError."""
        return build_domain(self._checked)


class ProblemText:
    """A problem's PDDL beside its domain's, read when it is first asked for, and only once."""

    def __init__(self, domain: DomainText, text: str):
        self.domain = domain
        self.text = text

    @cached_property
    def _checked(self) -> CheckedProblem:
        return check_problem(self.text, self.domain.vocabulary)

    @cached_property
    def facts(self) -> TaskFacts:
        """Its facts. Raises as `read_facts`."""
        return facts_in(self._checked, self.domain.vocabulary)

    @cached_property
    def problem(self) -> Problem:
        """The problem. Raises PDDLError."""
        domain = self.domain.domain
        return build_problem(self._checked, domain)


def read_facts(text: str, domain: Vocabulary) -> TaskFacts:
    """The facts in a problem's PDDL, constants included: atoms by predicate, then by the order of objects.

    Raises PDDLError, and ValueError if the goal is not a conjunction of atoms and negated atoms.
    """
    return facts_in(check_problem(text, domain), domain)


def facts_in(checked: CheckedProblem, domain: Vocabulary) -> TaskFacts:
    """The facts in a problem that was checked against `domain`. Raises as `read_facts`."""
    refuse_errors(checked.issues)
    predicates = {name: place for place, name in enumerate(domain.predicates)}
    objects = {name: place for place, name in enumerate(checked.objects)}

    def place(atom: GroundAtom) -> tuple[int, ...]:
        return predicates[atom[0]], *(objects[name] for name in atom[1:])

    return TaskFacts(
        checked.objects, tuple(sorted(checked.init, key=place)), tuple(_literals(checked.goal, True))
    )


def _literals(goal: Node | None, holds: bool) -> Iterator[Literal]:
    """The literals of a conjunction, in its order."""
    if not isinstance(goal, Group) or not goal.items:
        return
    if goal.head == "and" and (holds or len(goal.parts) == 1):
        for part in goal.parts:
            yield from _literals(part, holds)
    elif goal.head == "not":
        yield from _literals(goal.parts[0], not holds)
    elif goal.head in _NO_ATOM:
        raise ValueError(f"the goal holds {goal}, which is neither an atom nor a negated one")
    else:
        yield holds, tuple(map(str, goal.items))
