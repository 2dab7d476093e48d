"""The fewest edits as a constraint problem, solved exactly: the counterpart of the search in `search`.

All edits that may be made are choices of a logic program (`constraints.lp`): effects, preconditions and
initial atoms. It finds the fewest that explain some examples, or as many of them as can be explained. What it
finds is tried on all examples; some of those that it gets wrong are taken in, and it is solved again. So the
program never holds more than a small part of what was seen, and the edits that it finds are never more than
all examples together need: once they explain everything, no fewer edits could. An edit that takes from the
goal counts as two (`Candidate.cost`), and `Candidate.rank` says what comes first of equals.

The program is ours, so it runs in this process. How much is grounded is bounded, and so are the conflicts
that clingo may come upon, which are the same on every machine. Solving also ends when its processor time is
up, or when the caller says so.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import clingo
import numpy as np
from numpy.typing import NDArray

from agents.repair.candidate import Candidate, Edit
from agents.repair.cells import CellFacts
from agents.repair.model import Editable
from agents.repair.search import Repairs
from agents.repair.states import Tables
from envs.pddl.simulation.lifted import Literal

_PROGRAM = Path(__file__).parent / "constraints.lp"
#: Examples of one action and one kind that are taken in at a time.
_BATCH = 20
#: Facts above which nothing more is ground.
MAX_FACTS = 600_000
#: The level in `constraints.lp` at which edits are counted.
_EDITS = 2
#: Conflicts of all programs together: a few seconds. Most models take less than a thousand.
MAX_CONFLICTS = 10_000
#: Seconds after which a program that is being solved is asked whether it has to end.
_POLL_S = 0.05


@dataclass(frozen=True, eq=False)
class Fewest:
    """The best candidate that was found, and what is known about how good it is."""

    candidate: Candidate
    bound: int  #: what edits cost at the least, for as many unexplained operators; see `Candidate.cost`
    finished: bool  #: whether all examples are explained, or no edits explain those that are left
    rounds: int  #: programs that were solved
    examples: int  #: that they took in
    facts: int  #: of the last program

    @property
    def proved(self) -> bool:
        """Whether no other candidate costs less."""
        return self.finished and self.candidate.cost <= self.bound


@dataclass(frozen=True, eq=False)
class _Solution:
    """What the program chose."""

    edits: frozenset[Edit]
    preconditions: dict[str, list[Literal]]
    cost: int
    conflicts: int = 0  #: that clingo came upon


def fewest_edits(repairs: Repairs, cpu_s: float, stop: Callable[[], bool] = lambda: False) -> Fewest:
    """The candidate with the fewest edits that explains what was seen, as far as the limits allow.

    `cpu_s` is the processor time of this process, in seconds. Deterministic, unless that is used up, or
    `stop` ends it, before MAX_CONFLICTS.
    """
    end = time.process_time() + cpu_s
    return _Constraints(repairs, lambda: time.process_time() >= end or stop()).run()


class _Constraints:
    """One model, what was seen, and the examples that were taken in."""

    def __init__(self, repairs: Repairs, stop: Callable[[], bool]):
        self._repairs, self._stop = repairs, stop
        self._cells = CellFacts(repairs.model, repairs.seen)
        self._taken: set[tuple[str, int]] = set()

    def run(self) -> Fewest:
        """Solve, try, take in what was wrong, and again."""
        best, rounds, bound, finished = self._repairs.candidate(frozenset()), 0, 0, False
        conflicts = MAX_CONFLICTS
        while not finished and len(self._cells.facts) <= MAX_FACTS:
            solution = _solve(self._cells, conflicts, self._stop)
            if solution is None:
                break
            rounds, bound, conflicts = rounds + 1, solution.cost, conflicts - solution.conflicts
            found = self._repairs.candidate(solution.edits)
            best = min(best, found, key=lambda c: (c.unexplained, *c.rank))
            explained = found.unexplained == 0 and found.cost <= bound
            finished = explained or not self._take_in(solution)
        return Fewest(best, bound, finished, rounds, len(self._taken), len(self._cells.facts))

    def _take_in(self, solution: _Solution) -> bool:
        """Take in some of the examples that the solution gets wrong; False if there is none that is new."""
        tables, before = self._repairs.tables(solution.edits), len(self._taken)
        for name, action in sorted(self._repairs.model.actions.items()):
            refused, executed = self._wrong(action, solution.preconditions.get(name, []), tables)
            for example in self._some(name, executed):
                self._cells.executed(name, example)
            for example in self._some(name, refused):
                self._cells.refused(name, example)
        return len(self._taken) > before

    def _wrong(
        self, action: Editable, preconditions: list[Literal], tables: Tables
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Examples that would run and are refused by the world, and that would not and are executed."""
        examples = self._repairs.seen.of[action.name]
        held = self._repairs.satisfied(action, (*preconditions, *action.fixed), tables)
        return examples.negative[held[examples.negative]], examples.positive[~held[examples.positive]]

    def _some(self, name: str, wrong: NDArray[np.int64]) -> Iterator[int]:
        """A few of the examples that are new, from all over; they count as taken."""
        new = [i for i in wrong.tolist() if (name, i) not in self._taken]
        places = np.unique(np.linspace(0, len(new) - 1, _BATCH).astype(np.int64)) if new else ()
        for place in places:
            self._taken.add((name, new[place]))
            yield new[place]


def _solve(cells: CellFacts, conflicts: int, stop: Callable[[], bool]) -> _Solution | None:
    """The best choices for the examples taken in; None if a limit did not suffice to find the best ones."""
    if conflicts <= 0 or stop():
        return None
    control = clingo.Control(["--warn=none", "--opt-strategy=usc,oll", f"--solve-limit={conflicts},umax"])
    control.add("base", [], _PROGRAM.read_text(encoding="utf-8") + "\n".join(cells.facts))
    control.ground([("base", [])])
    found: list[_Solution] = []
    with control.solve(async_=True, on_model=lambda model: found.append(_read(model, cells))) as handle:
        while not handle.wait(_POLL_S):
            if stop():
                handle.cancel()
                return None
        finished = handle.get().exhausted
    met = int(control.statistics["solving"]["solvers"]["conflicts"])
    return replace(found[-1], conflicts=met) if found and finished else None


def _read(model: clingo.Model, cells: CellFacts) -> _Solution:
    edits: set[Edit] = set()
    preconditions: dict[str, list[Literal]] = {}
    for symbol in sorted(model.symbols(shown=True)):
        if symbol.name == "needs":
            name, literal = cells.places[symbol.arguments[0].number]
            preconditions.setdefault(name, []).append(literal)
        elif symbol.name == "edit":
            edit = cells.edit(symbol.arguments[0].name, symbol.arguments[1].number)
            edits |= {edit} if edit else set()
    levels = dict(zip(model.priority, model.cost, strict=True))
    return _Solution(frozenset(edits), preconditions, levels.get(_EDITS, 0))
