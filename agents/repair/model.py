"""A model as repair sees it: literals that may be edited, and what is left as it is.

Of a precondition, the literals of its top-level conjunction may be dropped and others added, equalities
included, which are literals of the predicate `=`; disjunctions and quantifiers stay. Of the effects, those
without condition and quantifier may be edited. Only well-typed literals over an action's parameters and the
domain's constants are ever added; where there are too many, only those with one constant at most.

Preconditions are fitted to what was seen, for given states: proved first, then as few changes as
possible. An operator that the world executed has no false precondition, so a literal that is false for one
such operator is refuted. Of the literals that are left, those of the model stay; the operators that would
then still run though the world refuses them have to be excluded by further literals that nothing refutes: a
set cover, found greedily. What no literal can exclude shows that the states, and so the effects, are wrong;
and so does an operator that the world executes where a part of the precondition that is not edited is false.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, product
from operator import ne

import numpy as np

from agents.operators.examples import greedy_cover
from agents.repair.examples import Mask, Numbers
from agents.repair.siblings import Kind, lacking_effects
from envs.pddl.language.domain import Domain, Problem
from envs.pddl.simulation.lifted import (
    And,
    Condition,
    Equality,
    LiftedEffect,
    LiftedTask,
    Literal,
    Schema,
    conjuncts,
    lift,
    lifted_actions,
    literals_of,
)

#: The predicate that holds of each object and itself, and that no effect changes.
EQUAL = "="
#: What predicates that a repair adds to a domain are called, with a hyphen and a number behind it. Their
#: initial atoms are never edited one by one: of a task that nobody has seen nothing would be known.
ADDED = "hidden"
#: Literals of one action above which those with several constants are left out.
MAX_LITERALS = 1000


@dataclass(frozen=True, eq=False)
class Editable:
    """One action in parts. Terms are as in `envs.pddl.simulation.lifted`."""

    schemas: tuple[Schema, ...]  #: of each task; they differ in the objects that they range over
    preconditions: tuple[Literal, ...]
    fixed: tuple[Condition, ...]  #: parts of the precondition that stay
    effects: frozenset[Literal]  #: added (positive) or deleted atoms
    conditional: tuple[LiftedEffect, ...]  #: effects that stay
    #: what effects may be: every well-typed literal, atoms before their negations
    candidates: tuple[Literal, ...]
    #: what preconditions may be: atoms that the action itself makes false come first, then atoms of
    #: predicates that no effect changes, those of more parameters before others, then other literals,
    #: inequalities, negations that are unusual in the model (`is_unusual`), and equalities
    tests: tuple[Literal, ...]
    fluents: frozenset[str]  #: the predicates that some effect of the model changes

    @property
    def name(self) -> str:
        """The action's name."""
        return self.schemas[0].name

    @property
    def is_empty(self) -> bool:
        """Whether it has no rules of its own, as one that the model lacked."""
        return not (self.preconditions or self.fixed or self.effects or self.conditional)


@dataclass(frozen=True, eq=False)
class Model:
    """Problems of one domain, a task each, in parts that can be edited one by one.

    An object of one name is of one number in all tasks; the objects that a schema ranges over are a task's.
    """

    problems: tuple[Problem, ...]
    tasks: tuple[LiftedTask, ...]  #: of the problems, in their order
    actions: dict[str, Editable]
    lacking: dict[str, frozenset[Kind]]  #: by action, see `agents.repair.siblings`

    @classmethod
    def of(cls, *problems: Problem) -> Model:
        """The parts of `problems`, at least one."""
        names = {name for problem in problems for name in problem.objects}
        tasks = tuple(lift(problem, names) for problem in problems)
        rows = zip(*(task.schemas for task in tasks), strict=True)
        fluents, negated = tasks[0].fluents, _negated(tasks[0])
        listed = ((own, _candidates(own[0], problems[0], tasks[0])) for own in rows)
        actions = {own[0].name: _editable(own, found, fluents, negated) for own, found in listed}
        return cls(problems, tasks, actions, lacking_effects(tasks[0].schemas))

    def with_actions(self, problems: tuple[Problem, ...], names: Collection[str]) -> Model:
        """The parts of problems that differ from this model's in the rules of these actions alone."""
        actions, fluents, objects = dict(self.actions), self.tasks[0].fluents, self.objects
        for schemas in zip(*(lifted_actions(own, objects, names) for own in problems), strict=True):
            name, changed = schemas[0].name, fluents.union(e.predicate for e in schemas[0].effects)
            same = terms_of(name, problems[0].domain, objects) == terms_of(name, self.domain, objects)
            listed = actions[name].candidates if same else _candidates(schemas[0], problems[0], self.tasks[0])
            actions[name] = _editable(schemas, listed, changed, self.negated)
        return replace(self, problems=problems, actions=actions)

    @property
    def domain(self) -> Domain:
        """The domain of all problems."""
        return self.problems[0].domain

    @property
    def objects(self) -> tuple[str, ...]:
        """Those of all tasks, by number."""
        return self.tasks[0].objects

    @property
    def base(self) -> int:
        """How many objects there are."""
        return len(self.objects)

    @cached_property
    def negated(self) -> frozenset[str]:
        """The predicates that some condition of an action reads negated."""
        return _negated(self.tasks[0])

    @cached_property
    def steady(self) -> frozenset[str]:
        """The predicates that are true of something at the start and that no effect changes."""
        true = {predicate for task in self.tasks for predicate, rows in task.init.items() if rows}
        return frozenset(true - self.tasks[0].fluents)

    @cached_property
    def undone(self) -> frozenset[str]:
        """The predicates that effects only ever make false."""
        changed = {(e.predicate, e.adds) for schema in self.tasks[0].schemas for e in schema.effects}
        return frozenset(p for p, adds in changed if not adds and (p, True) not in changed)

    @cached_property
    def wanted(self) -> frozenset[tuple[str, bool]]:
        """The predicates that some goal reads, each with the truth that it asks for."""
        parts = (part for task in self.tasks for part in literals_of(task.goal.precondition))
        return frozenset((p.predicate, p.positive) for p in parts)


def _negated(task: LiftedTask) -> frozenset[str]:
    conditions = (
        condition
        for schema in task.schemas
        for condition in (schema.precondition, *(effect.condition for effect in schema.effects))
    )
    return frozenset(part.predicate for c in conditions for part in literals_of(c) if not part.positive)


def is_unusual(literal: Literal, negated: Collection[str]) -> bool:
    """Whether a test is a negation that the model has nowhere else, of a predicate that is not `negated`.

    Most domains do without negative preconditions: where something else explains as much, that is likelier.
    """
    return not literal.positive and literal.predicate != EQUAL and literal.predicate not in negated


def _editable(
    schemas: tuple[Schema, ...],
    candidates: tuple[Literal, ...],
    fluents: Collection[str],
    negated: Collection[str],
) -> Editable:
    schema, equalities = schemas[0], dict.fromkeys(q for own in schemas for q in _equalities(own))
    parts = tuple(map(_test, conjuncts(schema.precondition)))
    plain = [e for e in schema.effects if not e.variables and e.condition == And(())]
    deleted = {Literal(e.predicate, e.terms, True) for e in plain if not e.adds}

    def order(literal: Literal) -> tuple[int, int]:
        if literal.predicate == EQUAL:
            return 4 if literal.positive else 2, 0
        if is_unusual(literal, negated):
            return 3, 0
        if literal in deleted:
            return -1, 0
        if literal.predicate in fluents or not literal.positive:
            return 1, 0
        return 0, -len({term for term in literal.terms if term < 0})

    return Editable(
        schemas,
        tuple(dict.fromkeys(p for p in parts if isinstance(p, Literal))),  # each once if it stands twice
        tuple(p for p in parts if not isinstance(p, Literal)),
        frozenset(Literal(e.predicate, e.terms, e.adds) for e in plain),
        tuple(e for e in schema.effects if e not in plain),
        candidates,
        tuple(sorted((*candidates, *equalities), key=order)),
        frozenset(fluents),
    )


def _test(part: Condition) -> Condition:
    """An equality as a literal; all else as it is."""
    return Literal(EQUAL, part.terms, part.positive) if isinstance(part, Equality) else part


def _equalities(schema: Schema) -> Iterator[Literal]:
    """Each two parameters that can denote the same object, as unequal and as equal."""
    for one, other in combinations(range(schema.arity), 2):
        if set(schema.members[one]) & set(schema.members[other]):
            yield Literal(EQUAL, (~one, ~other), False)
            yield Literal(EQUAL, (~one, ~other), True)


def _candidates(schema: Schema, problem: Problem, task: LiftedTask) -> tuple[Literal, ...]:
    """The literals that may be added; see the module."""
    found = tuple(literals_over(problem.domain, terms_of(schema.name, problem.domain, task.objects)))
    if len(found) <= MAX_LITERALS:
        return found
    return tuple(literal for literal in found if sum(t >= 0 for t in literal.terms) <= 1)


def terms_of(action: str, domain: Domain, objects: Sequence[str]) -> dict[int, str]:
    """The parameters of an action and the domain's constants, as terms, each with its type."""
    parameters = {~v: str(p.sort.name) for v, p in enumerate(domain.actions[action].parameters)}
    return parameters | {objects.index(name): kind for name, kind in domain.constants.items()}


def literals_over(domain: Domain, terms: Mapping[int, str]) -> Iterator[Literal]:
    """Every well-typed literal over terms of these types, in the order of their declaration."""
    for name, declared in domain.vocabulary.predicates.items():
        fitting = [
            [term for term, kind in terms.items() if domain.is_subtype(kind, wanted)]
            for _, wanted in declared
        ]
        for arguments in product(*fitting):
            yield Literal(name, arguments, True)
            yield Literal(name, arguments, False)


#: Which examples, by index (None: all), satisfy a literal.
Truth = Callable[[Literal, Numbers | None], Mask]


@dataclass(frozen=True)
class Fit:
    """What preconditions one action should have."""

    #: the model's own that are refuted, and by how many operators
    dropped: tuple[tuple[Literal, int], ...] = ()
    added: tuple[Literal, ...] = ()
    #: operators that the world refuses and no literal excludes, or executes and a part that stays excludes
    left: int = 0
    contradictions: int = 0  #: literals that stand beside their negation then, so that the action never runs

    @property
    def edits(self) -> int:
        """Literals to be changed."""
        return len(self.dropped) + len(self.added)

    @property
    def pairs(self) -> int:
        """Literals that only get other arguments."""
        return pairs(self.refuted, self.added)

    @property
    def refuted(self) -> tuple[Literal, ...]:
        """The literals that are dropped."""
        return tuple(literal for literal, _ in self.dropped)

    def preconditions(self, action: Editable) -> tuple[Literal, ...]:
        """The literals of an action's precondition, changed in this way."""
        return tuple(p for p in (*action.preconditions, *self.added) if p not in self.refuted)


#: A literal that may become a precondition, with the name of its action.
Test = tuple[str, Literal]


def without_tests(model: Model, literals: Collection[Test]) -> Model:
    """The model in which none of these may become preconditions."""
    if not literals:
        return model
    actions = {
        name: replace(own, tests=tuple(p for p in own.tests if (name, p) not in literals))
        for name, own in model.actions.items()
    }
    return replace(model, actions=actions)


def fit(action: Editable, positive: Numbers, negative: Numbers, truth: Truth, fixed: Mask) -> Fit:
    """The fit for examples with these indices; `fixed` says in which of all the parts that stay hold."""
    dropped, refused = [], int(np.count_nonzero(~fixed[positive]))
    running = fixed[negative]
    for literal in action.preconditions:
        held = truth(literal, None)
        wrong = int(np.count_nonzero(~held[positive]))
        if wrong:
            dropped.append((literal, wrong))
        else:
            running = running & held[negative]
    wrongly = negative[running]
    gone = {literal for literal, _ in dropped}
    if not len(wrongly) and not gone:
        return Fit(left=refused)
    kept = [literal for literal in action.preconditions if literal not in gone]
    barred = frozenset(map(opposite, kept))
    cover = _Cover(positive, truth)
    usable = [p for p in action.tests if p not in action.preconditions]
    others = [p for p in usable if p not in barred]
    alike = [p for p in others if pairs(gone, [p])]
    added, uncovered = cover.by(others, wrongly)
    first, rest = cover.by(alike, wrongly)
    if first:  # two literals that differ in their arguments alone count as one
        more, left = cover.by(others, rest)
        both = tuple(dict.fromkeys((*first, *more)))
        if len(left) <= len(uncovered) and len(both) - pairs(gone, both) < len(added) - pairs(gone, added):
            added, uncovered = both, left
    if len(uncovered) and barred:  # nothing else explains that these never run
        more, uncovered = cover.by([p for p in usable if p not in added], uncovered)
        added += more
    added += _in_place(action, gone, alike, added, cover)
    contradictions = sum(opposite(literal) in (*kept, *added) for literal in added)
    return Fit(tuple(dropped), added, len(uncovered) + refused, contradictions)


def _in_place(
    action: Editable,
    gone: Collection[Literal],
    alike: Sequence[Literal],
    added: Sequence[Literal],
    cover: _Cover,
) -> tuple[Literal, ...]:
    """What else stands for static atoms that are gone: the one next to it that nothing refutes.

    Roads may all be in sight in the tasks seen. That an atom of theirs was there at all speaks for one,
    unless another one stays; that a negated one stands says little, as most atoms are false.
    """
    found: list[Literal] = []
    said = {p.predicate for p in action.preconditions if p not in gone}
    for literal in unpaired(gone, added):
        if literal.positive and literal.predicate not in action.fluents | said:
            own = [p for p in alike if p not in found and pairs([literal], [p]) and cover.stands(p)]
            found += sorted(own, key=lambda p: sum(map(ne, p.terms, literal.terms)))[:1]
    return tuple(found)


@dataclass(frozen=True, eq=False)
class _Cover:
    """Covers refused operators by literals that no executed operator refutes."""

    positive: Numbers
    truth: Truth

    def stands(self, literal: Literal) -> bool:
        """Whether no executed operator refutes it."""
        return bool(self.truth(literal, self.positive).all())

    def by(self, literals: Sequence[Literal], wrongly: Numbers) -> tuple[tuple[Literal, ...], Numbers]:
        """Few of these literals that exclude as many of these operators as possible; the rest of these."""
        usable: list[Literal] = []
        excluding: list[Mask] = []
        for literal in literals:
            excluded = ~self.truth(literal, wrongly)
            if excluded.any() and self.stands(literal):
                usable.append(literal)
                excluding.append(excluded)
        covers = np.array(excluding, dtype=np.bool_).reshape(len(usable), len(wrongly)).T
        chosen = greedy_cover(covers)  # of equals the first: see `Editable.tests`
        return tuple(usable[i] for i in chosen), wrongly[~covers[:, chosen].any(axis=1)]


def pairs(gone: Iterable[Literal], come: Iterable[Literal]) -> int:
    """How many of the literals that go have one that comes and differs in its arguments alone.

    Wrong arguments, in a wrong order say, are one fault and not two.
    """
    before, after = (Counter((p.predicate, p.positive) for p in own) for own in (gone, come))
    return (before & after).total()


def unpaired(gone: Iterable[Literal], come: Iterable[Literal]) -> list[Literal]:
    """The literals that go without one that comes in their place, one each; sorted."""
    left, alone = list(come), list[Literal]()
    for literal in sorted(gone, key=repr):
        if partner := next((p for p in left if pairs([literal], [p])), None):
            left.remove(partner)
        else:
            alone.append(literal)
    return alone


def opposite(literal: Literal) -> Literal:
    """The negation of a literal."""
    return Literal(literal.predicate, literal.terms, not literal.positive)
