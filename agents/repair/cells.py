"""What examples say, as the facts of the constraint program `constraints.lp`, which says what each means.

What examples read of the states are cells. A cell is an atom at a node of the walks. Its value is that of the
atom's cell at the nearest node before where some operator could change it, changed by what that operator's
effects do; so an atom has one cell for all nodes between two such operators, and only the cells that some
example reads, directly or by way of others, are ever made. Conditions that stay as they are, or that may be
taken for others as a whole (`agents.repair.rules.conjuncts`), become formulas over cells. Atoms of predicates
that are taken to stay as they are (`OfferedConjuncts.unchanged`) are constants there, and nothing changes
their cells.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count

from agents.repair.candidate import (
    Edit,
    EffectEdit,
    InitialEdit,
    is_added,
    is_unlikely,
    oddity,
    takes_from_goal,
    undoes_goal,
)
from agents.repair.examples import TrainingExamples
from agents.repair.model import EQUAL, Editable, Model, is_unusual, opposite
from agents.repair.rules.conjuncts import NO_CONJUNCTS, OfferedConjuncts
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

    def __init__(self, model: Model, seen: TrainingExamples, conjuncts: OfferedConjuncts = NO_CONJUNCTS):
        self._model, self._seen, self._conjuncts = model, seen, conjuncts
        self._steps = seen.walks.steps
        self._parents = [step.parent for step in self._steps]
        #: by node, what `_changes` says of it, once it was asked for
        self._at: list[Mapping[Atom, list[Cause]] | None] = [None] * len(self._steps)
        self._steady = sorted(model.steady)
        self._initial = [{(p, row) for p, rows in t.init.items() for row in rows} for t in model.tasks]
        self._cells: dict[tuple[Atom, int], int] = {}
        self._formulas: dict[object, int] = {}
        self._causes: dict[tuple[int, str, tuple[int, ...]], dict[Atom, list[Cause]]] = {}
        self._ids = count(1)
        self.starts: dict[int, tuple[Atom, int]] = {}  #: cells of initial states, with their tasks
        self.places: list[Place] = []  #: by number, the literals that may be preconditions and effects
        self._numbers: dict[Place, int] = {}
        #: by action, predicate and truth, the numbers of all effects that do so
        self._kinds: dict[tuple[str, str, bool], int] = {}
        self.facts: dict[str, None] = {}  #: in the order in which they were made, each once
        for name, action in sorted(model.actions.items()):
            self._declare(name, action)
        for number in range(len(conjuncts.own)):
            self._fact("own_conjunct", number)
        for number, other in enumerate(conjuncts.others):
            self._fact("other_conjunct", number, other.size)
            if other.instead is not None:
                self._fact("instead", number, other.instead)

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
        passed: list[int] = []
        while (cell := self._cells.get((atom, node))) is None and self._parents[node] >= 0:
            passed.append(node)
            node = self._parents[node]
        if cell is None:
            cell = self._start(atom, node)
        for at in reversed(passed):
            if atom in (self._at[at] or self._changes(at)):
                cell = self._later(atom, at, cell)
            else:
                self._cells[atom, at] = cell
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

    def pass_over(self, edits: Sequence[str]) -> None:
        """Allow any edits of effects and initial atoms but exactly these, given as atoms of the program."""
        others = "#count { Kind, Thing : edit(Kind, Thing), Kind != precondition }"
        self.facts[f":- {', '.join([*edits, f'{others} = {len(edits)}'])}."] = None

    def _example(self, name: str, example: int) -> tuple[int, Binding]:
        examples = self._seen.of[name]
        return int(examples.nodes[example]), dict(enumerate(examples.arguments[example].tolist()))

    def _keep(self, fact: str, name: str, binding: Binding, node: int, number: int) -> None:
        """What an example reads by the conjuncts of the precondition that are no literals."""
        action, task = self._model.actions[name], self._task(node)
        owners = self._conjuncts.owners(name, len(action.fixed))
        for part, owner in zip(action.fixed, owners, strict=True):
            formula = self._formula(part, binding, node, action.schemas[task])
            self._fact(fact, number, formula, *(() if owner is None else (owner,)))
        for place, other in enumerate(self._conjuncts.others):
            if other.action == name:
                schema = other.schemas[task]
                formula = self._formula(schema.precondition, binding, node, schema)
                self._fact(f"{fact}_by", number, place, formula)

    def _task(self, node: int) -> int:
        return int(self._seen.walks.task[node])

    def _declare(self, name: str, action: Editable) -> None:
        tests = frozenset(action.tests)  # what is no test any more may be an effect still
        literals = tuple(dict.fromkeys((*action.tests, *action.candidates)))
        for literal in literals:
            number = len(self.places)
            self.places.append((name, literal))
            self._numbers[name, literal] = number
            if literal.predicate != EQUAL and literal.predicate not in self._conjuncts.unchanged:
                self._fact("candidate", number)
                if literal.predicate in self._steady:
                    self._fact("steady", number, self._steady.index(literal.predicate))
                if is_unlikely(self._model, EffectEdit(name, literal, True)):
                    self._fact("unlikely", number)
                self._fact("odd", number, oddity(self._model, name, literal))
                done = self._kinds.setdefault((name, literal.predicate, literal.positive), len(self._kinds))
                self._fact("makes", number, done)
                if undoes_goal(self._model, literal):
                    other = name, literal.predicate, not literal.positive
                    self._fact("undoes", number, self._kinds.setdefault(other, len(self._kinds)))
            if literal in tests:
                self._fact("precondition", number)
            negated = self._numbers.get((name, opposite(literal)))
            if negated is not None:
                self._fact("opposite", *((negated, number) if literal.positive else (number, negated)))
            if literal in action.effects:
                self._fact("own_effect", number)
                if takes_from_goal(self._model, EffectEdit(name, literal, False)):
                    self._fact("goal_effect", number)
            if literal in tests and literal in action.preconditions:
                self._fact("own_precondition", number)
                if literal.positive and literal.predicate in self._model.undone:
                    self._fact("undone", number)
            if name in self._seen.missed or is_unusual(literal, self._model.negated):
                self._fact("unusual", number)
        own = (p for p in literals if p in action.preconditions or p in action.effects)
        groups = {(p.predicate, p.positive): self._numbers[name, p] for p in own}
        for literal in literals:
            group = groups.get((literal.predicate, literal.positive))
            if group is not None:
                self._fact("group", self._numbers[name, literal], group)

    def _start(self, atom: Atom, root: int) -> int:
        cell, task = next(self._ids), self._task(root)
        self._cells[atom, root] = cell
        if atom[0] == EQUAL:  # no edit changes what is equal
            if len(set(atom[1])) == 1:
                self._fact("true", cell)
            return cell
        if is_added(atom[0]) or atom[0] in self._conjuncts.unchanged:
            if atom in self._initial[task]:
                self._fact("true", cell)
            return cell
        self.starts[cell] = atom, task
        self._fact("start", cell)
        if atom in self._initial[task]:
            self._fact("holds", cell)
        if takes_from_goal(self._model, InitialEdit(*atom, atom not in self._initial[task], task)):
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

    def _changes(self, node: int) -> Mapping[Atom, list[Cause]]:
        """What the effects of the step to a node could change, and by which candidates or conditions."""
        step, task = self._steps[node], self._task(node)
        if (task, step.action, step.arguments) not in self._causes:
            found = self._causes[task, step.action, step.arguments] = {}
            action, arguments = self._model.actions[step.action], dict(enumerate(step.arguments))
            for literal in action.candidates:
                if literal.predicate in self._conjuncts.unchanged:
                    continue
                cause = self._numbers[step.action, literal], literal.positive
                found.setdefault(_atom(literal, arguments), []).append(cause)
            for effect in action.conditional:
                for binding in bindings(effect.variables, action.schemas[task].members, arguments, int):
                    when = (effect.condition, binding), effect.adds
                    found.setdefault(_atom(effect, binding), []).append(when)
        changes = self._at[node] = self._causes[task, step.action, step.arguments]
        return changes

    def _formula(self, condition: Condition, binding: Binding, node: int, schema: Schema) -> int:
        """The number of a ground formula at a node; equal ones are made once."""
        match condition:
            case Literal(predicate=predicate, positive=positive):
                atom = _atom(condition, binding)
                if predicate in self._conjuncts.unchanged:
                    return self._constant((atom in self._initial[self._task(node)]) == positive)
                cell = self.cell(atom, node)
                return cell if positive else self._made("negation", (cell,))
            case Equality(terms=(left, right), positive=positive):
                one, other = denoted((left, right), binding)
                return self._constant((one == other) == positive)
            case And(parts=parts) | Or(parts=parts):
                own = (self._formula(part, binding, node, schema) for part in parts)
                return self._joined(isinstance(condition, And), own)
            case Forall(variables=variables, body=body) | Exists(variables=variables, body=body):
                inner = bindings(variables, schema.members, binding, int)
                own = (self._formula(body, one, node, schema) for one in inner)
                return self._joined(isinstance(condition, Forall), own)

    def _constant(self, holds: bool) -> int:
        return self._made("all" if holds else "any", ())

    def _joined(self, is_all: bool, parts: Iterator[int]) -> int:
        """The number of a conjunction or a disjunction, without parts that say nothing."""
        neutral, deciding, kept = self._constant(is_all), self._constant(not is_all), list[int]()
        for part in parts:
            if part == deciding:
                return deciding
            if part != neutral:
                kept.append(part)
        return kept[0] if len(kept) == 1 else self._made("all" if is_all else "any", tuple(kept))

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
