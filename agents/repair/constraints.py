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

Examples become facts of the program (`CellFacts`): what they read of the states, cell by cell. A cell is an
atom at a node of the walks. Its value is that of the atom's cell at the nearest node before where some
operator could change it, changed by what that operator's effects do; so an atom has one cell for all nodes
between two such operators, and only the cells that some example reads, directly or by way of others, are ever
made. Conditions that stay as they are become formulas over cells. The program that reads the facts is
`constraints.lp`, which says what each of them means.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

import clingo
import numpy as np

from agents.repair.candidate import (
    Candidate,
    Edit,
    EffectEdit,
    InitialEdit,
    is_added,
    is_unlikely,
    takes_from_goal,
)
from agents.repair.examples import Numbers, Tables, TrainingExamples
from agents.repair.model import EQUAL, Editable, Model, is_unusual, opposite
from agents.repair.search import Repairs
from envs.pddl.simulation.lifted import (
    And,
    Condition,
    Equality,
    Exists,
    Forall,
    LiftedEffect,
    Literal,
    Or,
    Schema,
    bindings,
    denoted,
)

#: A predicate and the numbers of its arguments.
Atom = tuple[str, tuple[int, ...]]
#: Variable number to the object it denotes.
Binding = Mapping[int, int]
#: The number of an effect without condition, or the condition of another one; and whether the effect adds.
Cause = tuple[int | tuple[Condition, Binding], bool]
#: An action's literal.
Place = tuple[str, Literal]


class CellFacts:
    """The facts of one model and its training examples. Grows by the examples that are taken in."""

    def __init__(self, model: Model, seen: TrainingExamples):
        self._model, self._seen = model, seen
        self._steps = seen.walks.steps
        self._wanted = model.wanted
        self._initial = [{(p, row) for p, rows in t.init.items() for row in rows} for t in model.tasks]
        self._cells: dict[tuple[Atom, int], int] = {}
        self._formulas: dict[object, int] = {}
        self._causes: dict[tuple[int, str, tuple[int, ...]], dict[Atom, list[Cause]]] = {}
        self._ids = count(1)
        self.starts: dict[int, tuple[Atom, int]] = {}  #: cells of initial states, with their tasks
        self.places: list[Place] = []  #: by number, the literals that may be preconditions and effects
        self._numbers: dict[Place, int] = {}
        self.facts: dict[str, None] = {}  #: in the order in which they were made, each once
        for name, action in sorted(model.actions.items()):
            self._declare(name, action)

    def executed(self, name: str, example: int) -> None:
        """Take in an example of an action that the world executes."""
        node, binding = self._example(name, example)
        for literal in self._model.actions[name].tests:
            cell = self.cell(_atom(literal, binding), node)
            self._fact("must" if literal.positive else "must_not", self._numbers[name, literal], cell)
        self._keep("wanted", name, binding, node, next(self._ids))

    def refused(self, name: str, example: int) -> None:
        """Take in an example that the world refuses."""
        node, binding = self._example(name, example)
        action, number = self._model.actions[name], next(self._ids)
        self._fact("refused", number)
        for literal in action.tests:
            cell = self.cell(_atom(literal, binding), node)
            fact = "reads" if literal.positive else "reads_not"
            self._fact(fact, number, self._numbers[name, literal], cell)
        self._keep("kept", name, binding, node, number)

    def cell(self, atom: Atom, node: int) -> int:
        """The number of an atom's cell at a node; makes its facts, and those of the cells it depends on."""
        later: list[int] = []
        while self._steps[node].parent >= 0 and (atom, node) not in self._cells:
            if atom in self._changes(node):
                later.append(node)
            node = self._steps[node].parent
        cell = self._cells.get((atom, node))
        if cell is None:
            cell = self._start(atom, node)
        for at in reversed(later):
            cell = self._later(atom, at, cell)
        return cell

    def edit(self, kind: str, number: int) -> Edit | None:
        """The edit that the program means by a kind and a number; None for one of a precondition."""
        if kind == "effect":
            name, literal = self.places[number]
            return EffectEdit(name, literal, literal not in self._model.actions[name].effects)
        if kind != "start":
            return None
        atom, task = self.starts[number]
        return InitialEdit(*atom, atom not in self._initial[task], task)

    def _example(self, name: str, example: int) -> tuple[int, Binding]:
        examples = self._seen.of[name]
        return int(examples.nodes[example]), dict(enumerate(examples.arguments[example].tolist()))

    def _keep(self, fact: str, name: str, binding: Binding, node: int, number: int) -> None:
        """What an example reads by the parts of the precondition that stay."""
        action = self._model.actions[name]
        for part in action.fixed:
            self._fact(fact, number, self._formula(part, binding, node, action.schemas[self._task(node)]))

    def _task(self, node: int) -> int:
        return int(self._seen.walks.task[node])

    def _declare(self, name: str, action: Editable) -> None:
        for literal in action.tests:
            number = len(self.places)
            self.places.append((name, literal))
            self._numbers[name, literal] = number
            if literal.predicate != EQUAL:
                self._fact("candidate", number)
                if is_unlikely(self._model, EffectEdit(name, literal, True)):
                    self._fact("unlikely", number)
            self._fact("precondition", number)
            negated = self._numbers.get((name, opposite(literal)))
            if negated is not None:
                self._fact("opposite", negated, number)
            if literal in action.effects:
                self._fact("own_effect", number)
                if takes_from_goal(EffectEdit(name, literal, False), self._wanted):
                    self._fact("goal_effect", number)
            if literal in action.preconditions:
                self._fact("own_precondition", number)
            if is_unusual(literal, self._model.negated):
                self._fact("unusual", number)

    def _start(self, atom: Atom, root: int) -> int:
        cell, task = next(self._ids), self._task(root)
        self._cells[atom, root] = cell
        if atom[0] == EQUAL:  # no edit changes what is equal
            if len(set(atom[1])) == 1:
                self._fact("true", cell)
            return cell
        if is_added(atom[0]):
            if atom in self._initial[task]:
                self._fact("true", cell)
            return cell
        self.starts[cell] = atom, task
        self._fact("start", cell)
        if atom in self._initial[task]:
            self._fact("holds", cell)
        if takes_from_goal(InitialEdit(*atom, atom not in self._initial[task], task), self._wanted):
            self._fact("goal_start", cell)
        return cell

    def _later(self, atom: Atom, node: int, before: int) -> int:
        cell = self._cells[atom, node] = next(self._ids)
        step = self._steps[node]
        self._fact("before", cell, before)
        for cause, adds in self._changes(node)[atom]:
            if isinstance(cause, int):
                self._fact("adds" if adds else "deletes", cell, cause)
            else:
                schema = self._model.actions[step.action].schemas[self._task(node)]
                formula = self._formula(*cause, step.parent, schema)
                self._fact("adds_if" if adds else "deletes_if", cell, formula)
        return cell

    def _changes(self, node: int) -> dict[Atom, list[Cause]]:
        """What the effects of the step to a node could change, and by which candidates or conditions."""
        step, task = self._steps[node], self._task(node)
        if (task, step.action, step.arguments) not in self._causes:
            found = self._causes[task, step.action, step.arguments] = {}
            action, arguments = self._model.actions[step.action], dict(enumerate(step.arguments))
            for literal in action.candidates:
                cause = self._numbers[step.action, literal], literal.positive
                found.setdefault(_atom(literal, arguments), []).append(cause)
            for effect in action.conditional:
                for binding in bindings(effect.variables, action.schemas[task].members, arguments, int):
                    when = (effect.condition, binding), effect.adds
                    found.setdefault(_atom(effect, binding), []).append(when)
        return self._causes[task, step.action, step.arguments]

    def _formula(self, condition: Condition, binding: Binding, node: int, schema: Schema) -> int:
        """The number of a ground formula at a node; equal ones are made once."""
        match condition:
            case Literal(positive=positive):
                cell = self.cell(_atom(condition, binding), node)
                return cell if positive else self._made("negation", (cell,))
            case Equality(terms=(left, right), positive=positive):
                one, other = denoted((left, right), binding)
                return self._made("all" if (one == other) == positive else "any", ())
            case And(parts=parts) | Or(parts=parts):
                kind = "all" if isinstance(condition, And) else "any"
                return self._made(kind, tuple(self._formula(p, binding, node, schema) for p in parts))
            case Forall(variables=variables, body=body) | Exists(variables=variables, body=body):
                kind = "all" if isinstance(condition, Forall) else "any"
                inner = bindings(variables, schema.members, binding, int)
                return self._made(kind, tuple(self._formula(body, b, node, schema) for b in inner))

    def _made(self, kind: str, parts: tuple[int, ...]) -> int:
        if (kind, parts) not in self._formulas:
            number = self._formulas[kind, parts] = next(self._ids)
            if kind == "negation":
                self._fact(kind, number, *parts)
            else:
                self._fact(kind, number)
                for part in parts:
                    self._fact("part", number, part)
        return self._formulas[kind, parts]

    def _fact(self, name: str, *numbers: int) -> None:
        self.facts[f"{name}({','.join(map(str, numbers))})."] = None


def _atom(literal: Literal | LiftedEffect, binding: Binding) -> Atom:
    return literal.predicate, denoted(literal.terms, binding)


_PROGRAM = Path(__file__).parent / "constraints.lp"
#: Examples of one action and one kind that are taken in at a time, at first.
_BATCH = 20
#: Facts above which nothing more is ground.
MAX_FACTS = 600_000
#: The levels in `constraints.lp` at which what is unexplained and edits are counted.
_UNEXPLAINED, _EDITS = 4, 3
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
    short: bool  #: whether it is proved that no edits explain all examples
    rounds: int  #: programs that were solved
    examples: int  #: that they took in

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
    unexplained: int = 0  #: of the examples taken in
    conflicts: int = 0  #: that clingo came upon


def fewest_edits(
    repairs: Repairs, cpu_s: float, stop: Callable[[], bool] = lambda: False, *, patient: bool = True
) -> Fewest:
    """The candidate with the fewest edits that explains what was seen, as far as the limits allow.

    Where no edits explain everything, one that explains most is looked for; if this is not `patient`, it ends
    as soon as that is proved. `cpu_s` is the processor time of this process, in seconds. Deterministic,
    unless that is used up, or `stop` ends it, before MAX_CONFLICTS.
    """
    end = time.process_time() + cpu_s
    return _Constraints(repairs, lambda: time.process_time() >= end or stop()).run(patient)


class _Constraints:
    """One model, what was seen, and the examples that were taken in."""

    def __init__(self, repairs: Repairs, stop: Callable[[], bool]):
        self._repairs, self._stop = repairs, stop
        self._cells = CellFacts(repairs.model, repairs.seen)
        self._taken: set[tuple[str, int]] = set()

    def run(self, patient: bool) -> Fewest:
        """Solve, try, take in what was wrong, and again."""
        best, rounds, bound = self._repairs.candidate(frozenset()), 0, 0
        conflicts, finished, short = MAX_CONFLICTS, False, False
        batch, edits = _BATCH, best.edits
        while not finished and (patient or not short) and len(self._cells.facts) <= MAX_FACTS:
            solution = _solve(self._cells, conflicts, self._stop)
            if solution is None:
                break
            rounds, bound, conflicts = rounds + 1, solution.cost, conflicts - solution.conflicts
            short = solution.unexplained > 0
            found = self._repairs.candidate(solution.edits)
            best = min(best, found, key=lambda c: (c.unexplained, *c.rank))
            explained = found.unexplained == 0 and found.cost <= bound
            # what no edits explain comes in by more and more examples
            batch = 2 * batch if solution.edits == edits and short else _BATCH
            edits = solution.edits
            finished = explained or not self._take_in(solution, batch)
        return Fewest(best, bound, finished, short, rounds, len(self._taken))

    def _take_in(self, solution: _Solution, batch: int) -> bool:
        """Take in some of the examples that the solution gets wrong; False if there is none that is new."""
        tables, before = self._repairs.tables(solution.edits), len(self._taken)
        for name, action in sorted(self._repairs.model.actions.items()):
            refused, executed = self._wrong(action, solution.preconditions.get(name, []), tables)
            for example in self._some(name, executed, batch):
                self._cells.executed(name, example)
            for example in self._some(name, refused, batch):
                self._cells.refused(name, example)
        return len(self._taken) > before

    def _wrong(
        self, action: Editable, preconditions: list[Literal], tables: Tables
    ) -> tuple[Numbers, Numbers]:
        """Examples that would run and are refused by the world, and that would not and are executed."""
        examples = self._repairs.seen.of[action.name]
        held = self._repairs.satisfied(action, (*preconditions, *action.fixed), tables)
        return examples.negative[held[examples.negative]], examples.positive[~held[examples.positive]]

    def _some(self, name: str, wrong: Numbers, batch: int) -> Iterator[int]:
        """A few of the examples that are new, from all over; they count as taken."""
        new = [i for i in wrong.tolist() if (name, i) not in self._taken]
        places = np.unique(np.linspace(0, len(new) - 1, batch).astype(np.int64)) if new else ()
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
    return _Solution(frozenset(edits), preconditions, levels.get(_EDITS, 0), levels.get(_UNEXPLAINED, 0))
