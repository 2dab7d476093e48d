"""A model's actions made to fit the signatures that the world gives: names, parameters and types.

A world says what its actions are called, what they take, and of what type its objects are; never what they
need or do. So an action that the model lacks is added without a condition and an effect, for literals to be
found by repair; one that only the model has goes; parameters too many go with the literals that name them,
and parameters too few come. What a parameter may be is compared as sets of objects: where the model allows
objects that the world's signature does not, the parameter gets a type of those that both allow. Where the
model allows fewer, that may be a rule of the world; only what the world executes shows that it is none
(`widened`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations, count, permutations

from envs.pddl.interface import ActionSignature, HasSignatures
from envs.pddl.language.domain import Domain, Problem, read_domain, read_problem
from envs.pddl.language.operators import parse_operator
from envs.pddl.language.render import render_problem
from envs.pddl.language.terms import DomainTree, Scope, parsed, show, terms_in, tree_of
from envs.pddl.language.vocabulary import (
    OBJECT,
    Types,
    show_declaration,
    show_typed,
    union_of,
)

#: Parameters of an action above which they are taken to be in the world's order.
MAX_PERMUTED = 6

#: An object of a task, by the task's place in their order and its name.
Object = tuple[int, str]


@dataclass(frozen=True, eq=False)
class Fitted:
    """Problems of one domain, in the order of their tasks, and what was done to them, in words."""

    problems: tuple[Problem, ...]
    words: tuple[str, ...]


def fitted_to(worlds: Sequence[HasSignatures], problems: Sequence[Problem]) -> Fitted:
    """The problems with a domain that has the actions of the world; `worlds` is the world in each task.

    They are the same problems if they fit already. All objects of the worlds have to be objects of the
    problems.
    """
    fitter = _Fitter(worlds, problems)
    words = [*fitter.other_actions(), *fitter.other_parameters(), *fitter.narrower_types()]
    return Fitted(fitter.problems if words else tuple(problems), tuple(words))


def widened(problems: Sequence[Problem], operators: Sequence[Collection[str]]) -> Fitted:
    """The problems with parameters that may be all that they were in some operators, those of each task."""
    fitter, words = _Fitter((), problems), list[str]()
    parts = [(task, *parse_operator(text)) for task, own in enumerate(operators) for text in own]
    for name, action in problems[0].domain.actions.items():
        for place, parameter in enumerate(action.parameters):
            was = {(task, arguments[place]) for task, called, arguments in parts if called == name}
            kind = str(parameter.sort.name)
            if not was <= fitter.members(kind):
                kinds = {kind} | {problems[task].objects[one] for task, one in was}
                words.append(fitter.retype(name, place, fitter.smallest(was | fitter.members(kind), kinds)))
    return Fitted(fitter.problems, tuple(words))


class _Fitter:
    """Problems that are changed step by step; each step says in words what it did."""

    def __init__(self, worlds: Sequence[HasSignatures], problems: Sequence[Problem]):
        self._worlds = worlds
        self.problems = tuple(problems)

    @property
    def _domain(self) -> Domain:
        return self.problems[0].domain

    def members(self, kind: str) -> set[Object]:
        """The objects of a type of the model; of those that the worlds have, if there are worlds."""
        return {
            (task, name)
            for task, problem in enumerate(self.problems)
            for name, own in problem.objects.items()
            if self._domain.is_subtype(own, kind) and (not self._worlds or name in self._worlds[task].objects)
        }

    def smallest(self, objects: Collection[Object], kinds: Collection[str]) -> str:
        """The type that all these are of with the fewest others: a declared one, or that of all `kinds`."""
        fitting = [one for one in (*self._domain.types, union_of(kinds)) if self.members(one) >= {*objects}]
        return min((*fitting, OBJECT), key=lambda one: len(self.members(one)))

    def other_actions(self) -> Iterator[str]:
        """Remove the actions that the world lacks, and add those that it has besides."""
        theirs = {action.name: action for action in self._worlds[0].actions}
        tree = tree_of(self._domain)
        strange = [name for name in tree.actions if name not in theirs]
        sections = [s for s in tree.sections if not (s[0] == ":action" and s[1] in strange)]
        yield from (f"remove action {name}, which the world lacks" for name in strange)
        for name, action in theirs.items():
            if name not in tree.actions:
                typed = [(p.name, self._type_of(p.type)) for p in action.parameters]
                text = f"(:action {name} :parameters ({show_typed(typed)}) :precondition (and) :effect (and))"
                sections.append(parsed(text))
                yield f"add action {show_declaration(name, typed)}, which the world has"
        self._become(replace(tree, sections=tuple(sections)))

    def other_parameters(self) -> Iterator[str]:
        """Give actions the parameters that the world's have, in the same order."""
        for theirs in self._worlds[0].actions:
            tree = tree_of(self._domain)
            own = tree.parameters(theirs.name)
            places = self._aligned(own, theirs)
            if places == tuple(range(len(own))):
                continue
            gone = {name for place, (name, _) in enumerate(own) if place not in places}
            taken = {name for name, _ in own}
            parameters = [
                own[place] if place is not None else (_fresh(p.name, taken), self._type_of(p.type))
                for place, p in zip(places, theirs.parameters, strict=True)
            ]
            naming = [t for t in terms_in(tree) if t.action == theirs.name and gone & {*map(show, t.atom)}]
            self._become(_with_parameters(tree.without([t.place for t in naming]), theirs.name, parameters))
            yield f"give action {theirs.name} the parameters ({show_typed(parameters)})"

    def narrower_types(self) -> Iterator[str]:
        """Give parameters that may be more than the world's signature says a narrower type."""
        for theirs in self._worlds[0].actions:
            for place, parameter in enumerate(theirs.parameters):
                kind = str(self._domain.actions[theirs.name].parameters[place].sort.name)
                both = self.members(kind) & self._their_members(parameter.type)
                if both and both != self.members(kind):
                    narrower = self._narrower(kind, both) or self._new_type(both, parameter.type)
                    if narrower:
                        yield self.retype(theirs.name, place, narrower)

    def retype(self, name: str, place: int, kind: str) -> str:
        """Give a parameter another type, and predicates that it is an argument of one that fits."""
        tree, declared = tree_of(self._domain), dict(self._domain.predicates)
        parameters = list(tree.parameters(name))
        variable, before = parameters[place]
        parameters[place] = variable, kind
        for term in terms_in(tree):
            predicate = show(term.atom[0])
            if term.action == name and predicate in declared:
                own = zip(declared[predicate], term.atom[1:], strict=True)
                declared[predicate] = tuple(
                    (slot, self._admitting(wanted, kind) if argument == variable else wanted)
                    for (slot, wanted), argument in own
                )
        shown = parsed(f"(:predicates {' '.join(show_declaration(*one) for one in declared.items())})")
        sections = tuple(shown if section[0] == ":predicates" else section for section in tree.sections)
        self._become(_with_parameters(replace(tree, sections=sections), name, parameters))
        return f"give parameter {variable} of {name} the type {kind}, not {before}"

    def _admitting(self, wanted: str, kind: str) -> str:
        """The type for arguments of both of these types."""
        if self._domain.is_subtype(kind, wanted):
            return wanted
        above = [t for t in self._domain.types if all(self._domain.is_subtype(k, t) for k in (kind, wanted))]
        return min((*above, OBJECT), key=lambda one: len(self.members(one)))

    def _aligned(self, own: Scope, theirs: ActionSignature) -> tuple[int | None, ...]:
        """For each of the world's parameters the place of the model's: in order, if names and types fit."""
        here, there = range(len(own)), range(len(theirs.parameters))
        if [name for name, _ in own] == [p.name for p in theirs.parameters]:
            return tuple(here)
        likeness = [
            [
                (name == p.name, bool(self.members(kind) & self._their_members(p.type)))
                for p in theirs.parameters
            ]
            for name, kind in own
        ]

        def score(places: tuple[int | None, ...]) -> tuple[int, int]:
            alike = [likeness[at][place] for place, at in enumerate(places) if at is not None]
            return sum(same for same, _ in alike), sum(fits for _, fits in alike)

        possible: Iterable[tuple[int | None, ...]] = combinations(here, len(there))
        if len(here) < len(there):
            chosen = combinations(there, len(here))
            possible = (tuple(at.index(i) if i in at else None for i in there) for at in chosen)
        elif len(here) <= MAX_PERMUTED:
            possible = permutations(here, len(there))
        return max(possible, key=score)

    def _type_of(self, kind: str) -> str:
        """The model's type for one of the world's."""
        theirs = self._their_members(kind)
        if self._domain.vocabulary.types.declares(kind) and self.members(kind) >= theirs:
            return kind
        return self.smallest(theirs, {self.problems[task].objects[name] for task, name in theirs} or {OBJECT})

    def _their_members(self, kind: str) -> set[Object]:
        """The objects that the world says are of one of its types."""
        return {
            (task, name)
            for task, world in enumerate(self._worlds)
            for name, own in world.objects.items()
            if Types({t: above or OBJECT for t, above in world.types.items()}).is_subtype(own, kind)
        }

    def _narrower(self, kind: str, objects: set[Object]) -> str | None:
        """A type of exactly these objects below another type; None if there is none."""
        union = union_of({self.problems[task].objects[name] for task, name in objects})
        fitting = (t for t in (*self._domain.types, union) if self._domain.is_subtype(t, kind))
        return next((t for t in fitting if self.members(t) == objects), None)

    def _new_type(self, objects: set[Object], name: str) -> str | None:
        """A new type of exactly these objects, which were of one type; None if that cannot be declared."""
        kinds = {self.problems[task].objects[own] for task, own in objects}
        if len(kinds) > 1 or any(own in self._domain.constants for _, own in objects):
            return None
        (above,), types = kinds, set(self._domain.types)
        new = _fresh(name, types)
        self.problems = tuple(
            replace(p, objects={o: new if (task, o) in objects else kind for o, kind in p.objects.items()})
            for task, p in enumerate(self.problems)
        )
        tree = tree_of(self._domain)
        sections = [s for s in tree.sections if s[0] != ":types"]
        listed = next((s[1:] for s in tree.sections if s[0] == ":types"), ())
        at = next(i for i, s in enumerate(sections) if s[0] in (":constants", ":predicates", ":action"))
        sections.insert(at, (":types", new, "-", above, *listed))
        self._become(replace(tree, sections=tuple(sections)))
        return new

    def _become(self, tree: DomainTree) -> None:
        domain = read_domain(tree.render())
        self.problems = tuple(read_problem(render_problem(problem), domain) for problem in self.problems)


def _with_parameters(tree: DomainTree, action: str, parameters: Sequence[tuple[str, str]]) -> DomainTree:
    """The domain with another list of parameters of an action."""
    shown = parsed(f"({show_typed(parameters)})")
    sections = (
        (*s[:3], shown, *s[4:]) if s[:2] == (":action", action) and s[2] == ":parameters" else s
        for s in tree.sections
    )
    return replace(tree, sections=tuple(sections))


def _fresh(name: str, taken: Collection[str]) -> str:
    """The name, or with a number behind it if it is taken."""
    return next(n for n in chain([name], (f"{name}-{i}" for i in count(2))) if n not in taken)
