"""The fewest edits as a constraint problem, solved exactly: the counterpart of the search in `search`.

All edits that may be made are choices of a logic program (`constraints.lp`): effects, preconditions and
initial atoms. It finds the fewest that explain some examples, or as many of them as can be explained. What it
finds is tried on all examples; some of those that it gets wrong are taken in, and it is solved again. So the
program never holds more than a small part of what was seen, and the edits that it finds never cost more than
all examples together need (`Candidate.cost`): once they explain everything, no others could for less. It goes
on until none are better by `Candidate.rank` either, which says what comes first of equals. Preconditions are
those that `fit` finds for the chosen effects; where the program has better ones, other effects are tried.

The program is ours, so it runs in this process. How much is grounded is bounded, and so are the conflicts
that clingo may come upon, which are the same on every machine. Solving also ends when its processor time is
up, or when the caller says so.

Examples become facts of the program (`agents.repair.cells`). With `OfferedConjuncts`, those of
preconditions that are no literals are choices too, and predicates in `OfferedConjuncts.unchanged` stay as
they are: then what is proved is so of all edits but those of these predicates.

Where a program does not come to an end, edits near the best ones are looked for, of which nothing is proved
(`_near`); where these explain too little, that search goes on (`chosen`, `searched`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from pathlib import Path

import clingo
import numpy as np

from agents.repair.candidate import Candidate, Edit
from agents.repair.cells import CellFacts
from agents.repair.examples import Numbers
from agents.repair.rules.conjuncts import NO_CHOICE, NO_CONJUNCTS, ConjunctChoice, OfferedConjuncts
from agents.repair.rules.variants import changed_repairs
from agents.repair.search import Repairs, best_first
from agents.repair.session import TO_DOUBT, RepairSession
from envs.pddl.simulation.lifted import Literal

_PROGRAM = Path(__file__).parent / "constraints.lp"
#: Examples of one action and one kind that are taken in at a time, at first.
_BATCH = 20
#: Facts above which nothing more is ground.
MAX_FACTS = 600_000
#: The levels in `constraints.lp` of what is unexplained and of edits; those below decide between equals.
_UNEXPLAINED, _EDITS = 4, 3
#: Conflicts of all programs together: some ten seconds. Most models take less than a thousand.
MAX_CONFLICTS = 50_000
#: Conflicts in the search for choices that are near the best ones; and the share of the time after which none
#: are proved to be the best any more.
NEAR_CONFLICTS, PROVING = 3_000, 2 / 3
#: Edits of effects and initial atoms that are passed over, as `fit` finds for them no preconditions as few,
#: or as likely, as the program does; and conflicts below which a program is quick enough for that.
_PASSED_OVER, _EASY = 8, 1_000
#: Edits that explain everything are taken if they cost at most so much more than the proved lower bound.
_CLOSE = 2
#: Edits of literals from which on another rule may be what is lacking.
MANY = 4
#: The share of the time that is left for a first search where a program came to no end.
AT_FIRST = 1 / 6
#: Seconds after which a program that is being solved is asked whether it has to end.
_POLL_S = 0.05


@dataclass(frozen=True, eq=False)
class Fewest:
    """The best candidate that was found, and what is known about how good it is."""

    candidate: Candidate  #: in the model with the chosen conjuncts
    #: what edits cost at the least that explain as much of the examples taken in, or if `short` of those that
    #: were taken in before it was proved; see `Candidate.cost`
    bound: int
    finished: bool  #: whether no others are better: they explain all examples, or none explain what is left
    short: bool  #: whether it is proved that no edits explain all examples
    rounds: int  #: programs that were solved
    examples: int  #: that they took in
    choice: ConjunctChoice = NO_CHOICE

    @property
    def proved(self) -> bool:
        """Whether no other candidate costs less."""
        return self.finished and self.candidate.cost <= self.bound


@dataclass(frozen=True, eq=False)
class _Solution:
    """What the program chose."""

    edits: frozenset[Edit]
    preconditions: dict[str, list[Literal]]
    rank: tuple[int, ...]  #: what edits cost, and what `Candidate.rank` compares by then
    unexplained: int = 0  #: of the examples taken in
    conflicts: int = 0  #: that clingo came upon
    choice: ConjunctChoice = NO_CHOICE
    shown: tuple[str, ...] = ()  #: `edits` as atoms of the program
    proved: bool = True  #: whether no others are better, for the examples taken in

    @property
    def cost(self) -> int:
        """What edits cost."""
        return self.rank[0]


def fewest_edits(
    repairs: Repairs,
    cpu_s: float,
    stop: Callable[[], bool] = lambda: False,
    *,
    patient: bool = True,
    conjuncts: OfferedConjuncts = NO_CONJUNCTS,
    below: float = inf,
) -> Fewest:
    """The candidate with the fewest edits that explains what was seen, as far as the limits allow.

    Where no edits explain everything, one that explains most is looked for; if this is not `patient`, it ends
    as soon as that is proved. With `conjuncts`, edits of these are among them. It also ends as soon as it is
    proved that none which cost less than `below` explain everything. `cpu_s` is the processor
    time of this process, in seconds. Deterministic, unless `PROVING` of that is used up, or `stop` ends it,
    before MAX_CONFLICTS.
    """
    start = time.process_time()

    def has_spent(share: float) -> bool:
        return time.process_time() >= start + share * cpu_s or stop()

    return _Constraints(repairs, has_spent, conjuncts).run(patient, below)


class _Constraints:
    """One model, what was seen, and the examples that were taken in."""

    def __init__(self, repairs: Repairs, has_spent: Callable[[float], bool], conjuncts: OfferedConjuncts):
        """`has_spent` says whether such a share of the time has passed."""
        self._repairs, self._conjuncts = repairs, conjuncts
        self._stop_proving, self._stop = partial(has_spent, PROVING), partial(has_spent, 1.0)
        self._cells = CellFacts(repairs.model, repairs.seen, conjuncts)
        self._taken: set[tuple[str, int]] = set()
        self._changed = {NO_CHOICE: repairs}

    def run(self, patient: bool, below: float = inf) -> Fewest:
        """Solve, try, take in what was wrong, and again."""
        best, rounds, bound = (self._repairs.candidate(frozenset()), NO_CHOICE), 0, 0
        conflicts, finished, short, proved = MAX_CONFLICTS, False, False, True
        batch, before, passed_over = _BATCH, (best[0].edits, best[1]), 0
        while not finished and (patient if short else bound < below) and len(self._cells.facts) <= MAX_FACTS:
            solution, none_explain = _best(self._cells, conflicts, self._stop_proving, patient)
            if passed_over and (solution is None or solution.unexplained):
                finished = True
                break
            if none_explain:
                short = True
                break
            solution = solution or _near(self._cells, self._stop)
            if solution is None:
                break
            rounds, proved = rounds + 1, solution.proved
            conflicts = conflicts - solution.conflicts if proved else 0
            if proved:
                bound, short = solution.cost, solution.unexplained > 0
            found = self._with_conjuncts(solution.choice).candidate(solution.edits), solution.choice
            best = min(best, found, key=self._rank)
            explained = best[0].unexplained == 0 and (not proved or self._rank(best)[1:] <= solution.rank)
            # what no edits explain comes in by more and more examples
            batch = 2 * batch if (solution.edits, solution.choice) == before and short else _BATCH
            before = solution.edits, solution.choice
            finished = explained or not self._take_in(solution, batch)
            fits_worse = finished and not (
                explained or short or self._conjuncts.own or self._conjuncts.others
            )
            if proved and fits_worse and passed_over < _PASSED_OVER and solution.conflicts < _EASY:
                self._cells.pass_over(solution.shown)
                passed_over, finished = passed_over + 1, False
        return Fewest(best[0], bound, finished and proved, short, rounds, len(self._taken), best[1])

    def _rank(self, one: tuple[Candidate, ConjunctChoice]) -> tuple[float, ...]:
        """Lower is better: `Candidate.rank`, with what the choice of conjuncts counts as.

        Where all is explained, nothing is in doubt and edits alone count.
        """
        found, choice = one
        weighed, *others = found.rank
        cost = weighed if found.unexplained else found.cost
        return found.unexplained, cost + self._conjuncts.size(choice), *others

    def _with_conjuncts(self, choice: ConjunctChoice) -> Repairs:
        """The candidates of the model with a choice of conjuncts made."""
        if choice not in self._changed:
            self._changed[choice] = changed_repairs(
                self._repairs, self._conjuncts.variant(self._repairs.model, choice)
            )
        return self._changed[choice]

    def _take_in(self, solution: _Solution, batch: int) -> bool:
        """Take in some of the examples that the solution gets wrong; False if there is none that is new."""
        before = len(self._taken)
        for name in sorted(self._repairs.model.actions):
            refused, executed = self._wrong(name, solution)
            for example in self._some(name, executed, batch):
                self._cells.executed(name, example)
            for example in self._some(name, refused, batch):
                self._cells.refused(name, example)
        return len(self._taken) > before

    def _wrong(self, name: str, solution: _Solution) -> tuple[Numbers, Numbers]:
        """Examples that would run and are refused by the world, and that would not and are executed."""
        changed, examples = self._with_conjuncts(solution.choice), self._repairs.seen.of[name]
        action, own = changed.model.actions[name], self._repairs.model.actions[name].preconditions
        taken = [literal for literal in action.preconditions if literal not in own]
        parts = (*solution.preconditions.get(name, []), *taken, *action.fixed)
        held = changed.satisfied(action, parts, changed.tables(solution.edits))
        return examples.negative[held[examples.negative]], examples.positive[~held[examples.positive]]

    def _some(self, name: str, wrong: Numbers, batch: int) -> Iterator[int]:
        """A few of the examples that are new, from all over; they count as taken."""
        new = [i for i in wrong.tolist() if (name, i) not in self._taken]
        places = np.unique(np.linspace(0, len(new) - 1, batch).astype(np.int64)) if new else ()
        for place in places:
            self._taken.add((name, new[place]))
            yield new[place]


def _best(
    cells: CellFacts, conflicts: int, stop: Callable[[], bool], patient: bool
) -> tuple[_Solution | None, bool]:
    """The best choices for the examples taken in; None if a limit did not suffice to find the best ones.

    If not `patient`, of those that explain all of these; and whether it is proved that there are none, which
    is found sooner than what explains most.
    """
    if conflicts <= 0:
        return None, False
    besides = "" if patient else ":- unexplained(X)."
    found, exhausted = _solve(cells, ["--opt-strategy=usc,oll"], conflicts, stop, besides)
    return (found if exhausted else None), exhausted and found is None


def _near(cells: CellFacts, stop: Callable[[], bool]) -> _Solution | None:
    """Choices near the best ones that leave the start as it is, soon found; nothing is proved of them.

    Every decision of clingo's is first that an edit is not made. Atoms of the start would often be taken in
    the place of effects then. None if there was no time for any.
    """
    first = ["--opt-strategy=bb,lin", "--heuristic=Domain", "--dom-mod=false,opt"]
    found, _ = _solve(cells, first, NEAR_CONFLICTS, stop, ":- flipped(C).")
    return found if found is None else replace(found, proved=False)


def _solve(
    cells: CellFacts, options: list[str], conflicts: int, stop: Callable[[], bool], besides: str = ""
) -> tuple[_Solution | None, bool]:
    """The last choices that clingo finds within so many conflicts, by `besides` as well; None without any.

    Also whether it is proved that none are better, or that there are none.
    """
    if stop():
        return None, False
    # preprocessing of equivalences (--eq) makes most of these programs harder to solve
    control = clingo.Control(["--warn=none", "--eq=0", *options, f"--solve-limit={conflicts},umax"])
    control.add("base", [], _PROGRAM.read_text(encoding="utf-8") + "\n".join([*cells.facts, besides]))
    control.ground([("base", [])])
    found: list[_Solution] = []
    with control.solve(async_=True, on_model=lambda model: found.append(_read(model, cells))) as handle:
        stopped = False
        while not stopped and not handle.wait(_POLL_S):
            stopped = stop()
        handle.cancel()
        finished = not stopped and bool(handle.get().exhausted)
    met = int(control.statistics["solving"]["solvers"]["conflicts"])
    return (replace(found[-1], conflicts=met, proved=finished) if found else None), finished


def _read(model: clingo.Model, cells: CellFacts) -> _Solution:
    edits, shown = set[Edit](), list[str]()
    preconditions: dict[str, list[Literal]] = {}
    chosen: dict[str, set[int]] = {"given_up": set(), "taken": set()}
    for symbol in sorted(model.symbols(shown=True)):
        if symbol.name == "needs":
            name, literal = cells.places[symbol.arguments[0].number]
            preconditions.setdefault(name, []).append(literal)
        elif symbol.name == "edit":
            edit = cells.edit(symbol.arguments[0].name, symbol.arguments[1].number)
            if edit is not None:
                edits.add(edit)
                shown.append(str(symbol))
        elif symbol.name in chosen:
            chosen[symbol.name].add(symbol.arguments[0].number)
    levels = dict(zip(model.priority, model.cost, strict=True))
    choice = ConjunctChoice(frozenset(chosen["given_up"]), frozenset(chosen["taken"]))
    unexplained = levels.get(_UNEXPLAINED, 0)
    rank = tuple(levels.get(level, 0) for level in range(_EDITS, -1, -1))
    return _Solution(frozenset(edits), preconditions, rank, unexplained, choice=choice, shown=tuple(shown))


def chosen(session: RepairSession, repairs: Repairs, before: Candidate) -> tuple[Candidate, float | None]:
    """The edits that constraints choose, or proved to be close to that, and None; else the best by then.

    With these, the cost at which another rule that explains everything is no worse: the least that edits
    cost, or infinite if it is proved that none explain everything. `before` are edits that were good before.
    """
    start, config = repairs.candidate(before.edits), session.config
    if config.search == "best_first":
        return start, 0.0
    fewest = fewest_edits(repairs, config.program_s, session.is_late, patient=False)
    best = fewest.candidate if fewest.finished else min(fewest.candidate, start, key=lambda c: c.rank)
    if fewest.finished or (not best.unexplained and best.cost <= fewest.bound + _CLOSE):
        return best, None
    return best, inf if fewest.short else float(fewest.bound)


def explaining_most(session: RepairSession, repairs: Repairs, start: Candidate) -> tuple[Candidate, bool]:
    """The edits that explain most where none explain all, or `start`; and whether none can be better."""
    fewest = fewest_edits(repairs, session.config.program_s, session.is_late)
    if fewest.finished:
        return fewest.candidate, True
    return min(fewest.candidate, start, key=lambda c: c.rank), False


def searched(
    session: RepairSession, repairs: Repairs, start: Candidate, expansions: int, share: float = 1 / 2
) -> Candidate:
    """The best edits that the search finds.

    It has a share of the time that is left, as another rule may be what is lacking then; where all is
    explained, `TO_DOUBT` of it.
    """
    stop = session.has_spent(share if start.unexplained else TO_DOUBT)
    return best_first(repairs, start.edits, expansions, stop)


def fills_new_actions(repairs: Repairs, found: Candidate) -> bool:
    """Whether nearly all edits are of actions without rules of their own, which need as many as that."""
    empty = {name for name, own in repairs.model.actions.items() if own.is_empty}
    return bool(empty) and found.size - found.size_in(empty) < MANY


def are_many(repairs: Repairs, found: Candidate) -> bool:
    """Whether so many are needed for what the model does not explain that they may stand for another rule."""
    return found.size >= MANY and repairs.candidate(frozenset()).unexplained > 0
