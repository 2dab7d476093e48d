"""What follows from invariants and a goal: the cautious consequences of an answer set program.

Each answer set is a state that satisfies both; it may be one that is never reached. What is true in all of
them is true in all reachable goal states.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import clingo

from envs.pddl.equivalence.goals.goal import fluents_of
from envs.pddl.equivalence.invariants.invariants import Invariants
from envs.pddl.equivalence.invariants.transitions import Literals
from envs.pddl.language.structure import GroundAtom, Problem

#: Statements of clingo that run or read something else.
_FORBIDDEN = re.compile(r"#\s*(script|include|theory|external|program)\b")

_GRACE_S = 0.5


class BadRules(ValueError):
    """A world's rules that clingo cannot read, that may not be given, or that a reachable state breaks.

    Plain data; survives pickling.
    """


class SolvingTooLong(RuntimeError):
    """The consequences were not found in time."""


class Consequences:
    """Answers for many goals of one problem. Raises BadRules."""

    def __init__(self, problem: Problem, invariants: Invariants):
        self._invariants = invariants
        self._control = clingo.Control(["0", "--enum-mode=cautious", "--warn=none"], logger=_ignore)
        with self._control.backend() as backend:
            self._atoms: list[int] = [backend.add_atom(_holds(atom)) for atom in invariants.task.atoms]
            self._declare(backend)
            self._exclude(backend)
            self._forbid_cycles(backend)
        self._ground(problem)
        self._check_initial()

    def of(self, goal: Iterable[int], wall_s: float | None) -> Literals | None:
        """The literals that hold in every state with the invariants in which those of `goal` do.

        None if there is no such state; `wall_s` None: whatever it takes. Raises SolvingTooLong.
        """
        models: list[Literals] = []

        def note(model: clingo.Model) -> None:
            shown = (s for s in model.symbols(shown=True) if s.match("literal", 1))
            models[:] = [frozenset(symbol.arguments[0].number for symbol in shown)]

        assumptions = [self._solver(literal) for literal in goal]
        with self._control.solve(assumptions=assumptions, on_model=note, async_=True) as handle:
            # Where the machine stood still, the time is over before the solver had any of it.
            if not handle.wait(wall_s) and not (wall_s and handle.wait(_GRACE_S)):
                handle.cancel()
                raise SolvingTooLong(f"the goal's consequences were not found in {wall_s:g} s")
        return models[0] if models else None

    def _solver(self, literal: int) -> int:
        """The solver's number for a literal."""
        atom = self._atoms[literal // 2]
        return -atom if literal & 1 else atom

    def _declare(self, backend: clingo.Backend) -> None:
        """Every atom may hold or not; `literal(l)` says which literals do."""
        if self._atoms:
            backend.add_rule(self._atoms, [], choice=True)
        for literal in self._invariants.task.literals():
            shown = backend.add_atom(clingo.Function("literal", [clingo.Number(literal)]))
            backend.add_rule([shown], [self._solver(literal)])

    def _exclude(self, backend: clingo.Backend) -> None:
        for literal in self._invariants.never:
            backend.add_rule([], [self._solver(literal)])
        for pair in self._invariants.mutexes:
            backend.add_rule([], [self._solver(literal) for literal in pair])
        for group in self._invariants.groups:
            atoms = [self._atoms[i] for i in sorted(group)]
            backend.add_rule([], [-atom for atom in atoms])
            backend.add_weight_rule([], 2, [(atom, 1) for atom in atoms])

    def _forbid_cycles(self, backend: clingo.Backend) -> None:
        """Each predicate has nodes of its own, or a cycle could be made of several."""
        nodes: dict[tuple[str, str], int] = {}
        for number, (name, *ends) in zip(self._atoms, self._invariants.task.atoms, strict=True):
            if name in self._invariants.acyclic:
                begin, end = (nodes.setdefault((name, node), len(nodes)) for node in ends)
                backend.add_acyc_edge(begin, end, [number])

    def _ground(self, problem: Problem) -> None:
        rules = self._invariants.rules
        if (found := _FORBIDDEN.search(rules)) is not None:
            raise BadRules(f"{found.group()} may not stand in a world's invariants")
        fluents = fluents_of(problem.domain)
        facts = [_call("object", pair) for pair in problem.objects.items()] if rules else []
        facts += [_call("static", atom) for atom in sorted(problem.init) if atom[0] not in fluents and rules]
        try:
            self._control.add("base", [], "\n".join([*facts, rules, "#show literal/1."]))
            self._control.ground([("base", [])])
        except RuntimeError as error:
            raise BadRules(f"clingo cannot read the world's invariants: {error}") from error

    def _check_initial(self) -> None:
        """Rules that exclude the initial state are no invariants, and would imply anything."""
        initial = [self._solver(literal) for literal in self._invariants.task.initial]
        if self._invariants.rules and not self._control.solve(assumptions=initial).satisfiable:
            raise BadRules("the world's invariants exclude the initial state")


def _holds(atom: GroundAtom) -> clingo.Symbol:
    return clingo.Function("holds", [clingo.String(name) for name in atom])


def _call(name: str, arguments: Iterable[str]) -> str:
    return f"{clingo.Function(name, [clingo.String(text) for text in arguments])}."


def _ignore(_code: clingo.MessageCode, _message: str) -> None:
    """Swallow clingo's notes on atoms that no rule derives."""
