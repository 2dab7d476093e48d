"""Structural edits: a model's problems with a rule that no edit of literals can say.

Where literals explain too little, proposals are looked through, kind by kind (`agents.repair.rules.kinds`). A
proposal is a `Variant`: the problems of all tasks with one rule changed, in the words that people
read. What is in a variant is no edit any more: the next search for literals goes on from it.

A predicate may get one parameter more, or one less, everywhere in the domain and the problem.
`(free ?gripper)` cannot say whose gripper is free, whatever actions do with it: no edit of literals helps. An
added parameter gets, in each action, the first variable of its type that the atom does not name yet. Which
initial atoms it needs is not known: of those for every object of its type the ones stay that an operator
which the world executed needs before anything has changed them. Each atom of the model that is not left with
every object is such a guess: it costs an edit, and says nothing of tasks that nobody has seen.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf, isnan, nan

import numpy as np

from agents.repair.candidate import Candidate, Edit, effects_of, predicate_of
from agents.repair.examples import Numbers, TrainingExamples, keys_of
from agents.repair.model import Model
from agents.repair.search import Repairs
from envs.pddl.language.domain import Domain, GroundAtom, Problem, read_domain, read_problem
from envs.pddl.language.issues import PDDLError
from envs.pddl.language.render import render_problem
from envs.pddl.language.terms import Part, Tree, with_part_of
from envs.pddl.mutation.parameters import (
    NEW_PARAMETER,
    ParameterFault,
    faulty_domain,
    parameter_faults,
    restated,
)
from envs.pddl.simulation.lifted import Literal, literals_of


@dataclass(frozen=True, eq=False)
class Variant:
    """The problems of all tasks, in their order, with one rule changed; they share one domain."""

    words: str  #: the change, for people; a line each if it is several edits
    problems: tuple[Problem, ...]
    size: int = 1  #: how many edits it counts as
    edits: frozenset[Edit] = frozenset()  #: of the changed model, that go with the variant
    actions: tuple[str, ...] = ()  #: the only ones that are changed, if nothing else is


#: How many edits a parameter more or less counts as, besides one for each initial atom that is guessed: it
#: changes the texts of all tasks. One that makes no difference at the start counts as one.
CHANGED_PARAMETER = 2
#: Edits of one predicate from which on its parameters may be wrong.
_MANY_EDITS = 3
#: Operators that refute a precondition of which it is looked up whether its atom held with another object.
_MOST_REFUTING = 2000
#: Cells of a table of states above which a predicate gets no parameter more.
MAX_CELLS = 50_000_000
#: Ends the words of an edit that guesses initial atoms from what was seen of each task.
SEEN = "some, as seen"
#: Proposes variants of a model for what a candidate leaves unexplained, the likeliest first; ends early if
#: the last argument says so.
Proposer = Callable[[Repairs, Candidate, Callable[[], bool]], Iterator[Variant]]


def with_tree(model: Model, action: str, part: Part, tree: Tree) -> tuple[Problem, ...]:
    """The model's problems with another precondition or effect of one action."""
    domain = with_part_of(model.domain, action, part, tree)
    return tuple(replace(problem, domain=domain) for problem in model.problems)


def problems_in(model: Model, domain: str) -> tuple[Problem, ...]:
    """The model's problems in another domain of the same names, given as text. Raises PDDLError."""
    read = read_domain(domain)
    return tuple(
        # atoms need no reading: there may be thousands
        replace(read_problem(render_problem(replace(problem, init=frozenset())), read), init=problem.init)
        for problem in model.problems
    )


def changed_repairs(repairs: Repairs, variant: Variant) -> Repairs:
    """The candidates of a variant for what was seen."""
    names = variant.actions
    if variant.problems is repairs.model.problems:
        return repairs
    if not names:
        model = Model.of(*variant.problems)
        own, declared = repairs.model.domain.predicates, model.domain.predicates
        differing = {p for p, parameters in declared.items() if own.get(p) != parameters}
        return repairs.with_model(model, model.actions, _and_dependent(model, differing))
    model, changed = repairs.model.with_actions(variant.problems, names), set[str]()
    for name in names:
        before, action = repairs.model.actions[name], model.actions[name]
        changed |= {e.predicate for e in {*before.conditional} ^ {*action.conditional}}
        changed |= {e.predicate for e in before.effects ^ action.effects}
    return repairs.with_model(model, names, _and_dependent(model, changed))


def _and_dependent(model: Model, changed: set[str]) -> set[str]:
    """Predicates, and those that change where these do."""
    while changed < (wider := changed | set(_read_from(model, changed))):
        changed = wider
    return changed


def _read_from(model: Model, predicates: Collection[str]) -> Iterator[str]:
    """The predicates that effects change whose conditions read any of these."""
    for action in model.actions.values():
        for effect in action.conditional:
            if any(literal.predicate in predicates for literal in literals_of(effect.condition)):
                yield effect.predicate


def lacking_for_goals(model: Model, edits: frozenset[Edit]) -> set[tuple[str, bool]]:
    """What goals ask for and no effect of the model with these edits brings about; see `Model.wanted`."""
    made = {(e.predicate, e.positive) for own in model.actions.values() for e in effects_of(own, edits)}
    made |= {(e.predicate, e.adds) for own in model.actions.values() for e in own.conditional}
    return set(model.wanted) - made


def thinned(examples: Numbers, most: int) -> Numbers:
    """At most so many of some examples, from all over."""
    if len(examples) <= most:
        return examples
    return examples[np.linspace(0, len(examples) - 1, most).astype(np.int64)]


def parameter_lists(repairs: Repairs, found: Candidate, stop: Callable[[], bool]) -> Iterator[Variant]:
    """Predicates with one parameter more or less."""
    suspects = _read_where_wrong(repairs.model, found)
    for edit, changed in _variants(repairs.model.problems, suspects):
        if stop():
            return
        if edit.dropped:
            yield Variant(parameter_words(edit), changed, _size(repairs.model.problems, edit))
            continue
        arity = len(changed[0].domain.predicates[edit.predicate])
        if repairs.model.base**arity * repairs.seen.walks.nodes > MAX_CELLS:
            continue
        needed = _needed(changed, repairs.seen, edit.predicate)
        guesses = sum(_guesses(edit, *pair) for pair in zip(changed, needed, strict=True))
        words = parameter_words(edit) + (f", at the start true of {SEEN}" if guesses else "")
        yield Variant(words, needed, CHANGED_PARAMETER + guesses)


def superfluous_parameters(repairs: Repairs, found: Candidate, stop: Callable[[], bool]) -> Iterator[Variant]:
    """Predicates that many edits name, with one parameter less and without these edits.

    Where `(at ?car ?place ?extra)` is at home with every object at the start, edits that name one of them can
    say the same, as `(at ?car ?place ?place)` does: so many are needed that the parameter is likelier wrong.
    Where nothing at the start speaks for it, one precondition that goes raises that doubt, if its atom held
    with another object whenever it did not hold. Edits of new actions raise none.
    """
    problems, most = repairs.model.problems, inf if found.unexplained else found.cost
    old = {name for name, own in repairs.model.actions.items() if not own.is_empty}
    many = {predicate for predicate, count in found.edits_about(old).items() if count >= _MANY_EDITS}
    gone = [(name, p) for name in sorted(old & found.fits.keys()) for p in found.fits[name].refuted]
    few = {literal.predicate for _, literal in gone if literal.positive}

    def is_likely(taken: ParameterFault) -> bool:
        if _size(problems, taken) >= most:
            return False
        own = [one for one in gone if one[1].predicate == taken.predicate]
        return taken.predicate in many or (
            not isnan(_alike_at_start(problems, taken))
            and all(_held_with_another(repairs, found, *one, taken.place) for one in own)
        )

    yield from _without_parameters(repairs, found, stop, many | few, is_likely)


def _held_with_another(repairs: Repairs, found: Candidate, name: str, literal: Literal, place: int) -> bool:
    """Whether an atom held with another argument at a place wherever an operator needed it and it did not."""
    if not literal.positive:
        return False
    tables, base = repairs.tables(found.edits), repairs.model.base
    examples = repairs.seen.of[name]
    wrong = thinned(repairs.refuting(name, literal, tables), _MOST_REFUTING)
    keys = keys_of(literal.terms, dict(enumerate(examples.arguments[wrong].T)), len(wrong), base)
    step = base ** (len(literal.terms) - 1 - place)
    first = keys - keys // step % base * step
    others = first[:, None] + step * np.arange(base)
    held = tables[literal.predicate][examples.nodes[wrong][:, None], others]
    return bool(held.any(axis=1).all())


def goals_parameters(
    repairs: Repairs, found: Candidate, stop: Callable[[], bool], indifferent: bool = False
) -> Iterator[Variant]:
    """Predicates that goals read with one parameter less: it may be at home everywhere but in a goal.

    With `indifferent`, parameters alone that make no difference at the start: what holds with one object of
    their type holds with all, and there are several.
    """
    wanted = {predicate for predicate, _ in repairs.model.wanted}

    def is_likely(taken: ParameterFault) -> bool:
        return not indifferent or _alike_at_start(repairs.model.problems, taken) > 1

    yield from _without_parameters(repairs, found, stop, wanted, is_likely)


def _without_parameters(
    repairs: Repairs,
    found: Candidate,
    stop: Callable[[], bool],
    suspects: Collection[str],
    is_likely: Callable[[ParameterFault], bool],
) -> Iterator[Variant]:
    for edit, changed in _variants(repairs.model.problems, suspects, is_likely):
        if stop():
            return
        others = frozenset(e for e in found.edits if predicate_of(e) != edit.predicate)
        yield Variant(parameter_words(edit), changed, _size(repairs.model.problems, edit), others)


def _size(problems: Sequence[Problem], taken: ParameterFault) -> int:
    """How many edits a parameter that is taken counts as."""
    return 1 if _alike_at_start(problems, taken) > 1 else CHANGED_PARAMETER


def _alike_at_start(problems: Sequence[Problem], taken: ParameterFault) -> float:
    """With how many objects everything holds at the start that holds with some object of a parameter's type.

    That is 0 if nothing holds, and not a number if it holds with some of them alone.
    """
    at, most = taken.place + 1, 0
    for problem in problems:
        own = [atom for atom in problem.init if atom[0] == taken.predicate]
        every = sum(problem.domain.is_subtype(kind, taken.type) for kind in problem.objects.values())
        if len(own) != every * len({(*atom[:at], *atom[at + 1 :]) for atom in own}):
            return nan
        most = max(most, every if own else 0)
    return most


def hold_for_tasks_seen(words: Collection[str]) -> bool:
    """Whether one of these structural edits says nothing of tasks that nobody has seen."""
    return any(edit.endswith(SEEN) for edit in words)


def _guesses(edit: ParameterFault, every: Problem, needed: Problem) -> int:
    """Atoms without the new argument of which not `every` object's atom is `needed` at the start."""
    at = edit.place + 1
    gone = every.init - needed.init
    return len({(*atom[:at], *atom[at + 1 :]) for atom in gone})


def _read_where_wrong(model: Model, found: Candidate) -> set[str]:
    """The predicates that actions read whose preconditions had to be edited, and conditions of effects."""
    actions = model.actions.values()
    conditions = [e.condition for action in actions for e in action.conditional]
    for name in found.fits:
        conditions += [*model.actions[name].preconditions, *model.actions[name].fixed]
    return {literal.predicate for condition in conditions for literal in literals_of(condition)}


def _variants(
    problems: Sequence[Problem],
    suspects: Collection[str],
    is_likely: Callable[[ParameterFault], bool] | None = None,
) -> Iterator[tuple[ParameterFault, tuple[Problem, ...]]]:
    """The problems with each parameter of these predicates more or less.

    With `is_likely`, with those alone less of which it says so, and none more.
    """
    given = problems[0].domain
    for edit in parameter_faults(given) if suspects else ():
        if edit.predicate not in suspects or (is_likely and not (edit.dropped and is_likely(edit))):
            continue
        try:
            domain = read_domain(faulty_domain(given, edit))
            yield edit, tuple(restated(problem, edit, domain) for problem in problems)
        except PDDLError:  # such as two predicates of one name and other uses that no longer fit
            continue


#: What `parameter_words` says of a parameter that is taken.
_TAKEN = re.compile(r"take parameter (?P<place>\d+) \((?P<type>.*)\) from predicate (?P<predicate>\S+)")


def parameter_words(edit: ParameterFault) -> str:
    """What to do to the predicate, not what is wrong with it."""
    if edit.dropped:
        return f"take parameter {edit.place + 1} ({edit.type}) from predicate {edit.predicate}"
    new = f"{NEW_PARAMETER} - {edit.type}"
    return f"give predicate {edit.predicate} the parameter {new} at place {edit.place + 1}"


def with_parameter_taken(words: str, problem: Problem, repaired: Domain) -> Problem:
    """A problem of another task without the parameter that a structural edit takes from a predicate.

    The problem as it is, if the edit takes none, if its domain has no more parameters there than the
    `repaired` one, or none of that type at that place.
    """
    match = _TAKEN.fullmatch(words)
    if match is None:
        return problem
    predicate, place = match["predicate"], int(match["place"]) - 1
    declared = problem.domain.vocabulary.predicates.get(predicate, ())
    more = len(declared) > max(place, len(repaired.predicates.get(predicate, ())))
    if not more or declared[place][1] != match["type"]:
        return problem
    edit = ParameterFault(predicate, place, match["type"], True)
    domain = read_domain(faulty_domain(problem.domain, edit))
    return restated(problem, edit, domain)


def _needed(problems: Sequence[Problem], seen: TrainingExamples, predicate: str) -> tuple[Problem, ...]:
    """The problems with those initial atoms of a predicate alone that executed operators need."""
    model = Model.of(*problems)
    repairs = Repairs(model, seen)
    needed: list[set[GroundAtom]] = [set() for _ in problems]
    for name, action in sorted(model.actions.items()):
        for literal in action.preconditions:
            if literal.predicate == predicate and literal.positive:
                for atoms, rows in zip(needed, repairs.read(name, literal), strict=True):
                    atoms |= {(predicate, *(model.objects[a] for a in row)) for row in rows}
    return tuple(
        replace(problem, init=frozenset(a for a in problem.init if a[0] != predicate or a in atoms))
        for problem, atoms in zip(problems, needed, strict=True)
    )
