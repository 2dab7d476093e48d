"""A predicate that nobody named: a structural edit, and what proposes it.

Two walks that lead to the same state of the model, after one of which the world executes an operator and
after the other not, show that the model lacks a fact. `agents.repair.rules.latent` finds which fact over an
operator's arguments would explain its refusals. Here it becomes a predicate of the domain: literals over it
are edits as all others, so who sets and clears it, and who needs it, is found anew with all else.

At the start it is true of nothing, or of what a static predicate is true of; as literals may be negated, it
may as well be false of nothing. If only single atoms explain what was seen, the rule holds for the tasks
seen: nothing would be known of another one (`variants.hold_for_tasks_seen`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from math import inf
from typing import Self

import numpy as np

from agents.repair.candidate import Candidate, Edit, EffectEdit
from agents.repair.constraints import fewest_edits
from agents.repair.examples import Tables
from agents.repair.model import ADDED, Editable, Model, opposite
from agents.repair.rules.latent import Latent, Refusals, Static, Writer, latents_of
from agents.repair.rules.variants import SEEN, Variant, changed_repairs, problems_in
from agents.repair.search import Repairs
from envs.pddl.language.domain import Domain, Problem
from envs.pddl.language.terms import DomainTree, parsed, tree_of
from envs.pddl.language.vocabulary import OBJECT, Parameters, read_typed, show_declaration
from envs.pddl.simulation.lifted import Literal
from ew.lifted.relations import decoded

#: Facts that are proposed, and how much more one may cost than the first.
MAX_PROPOSED, MOST_WORSE = 5, 2.0
#: Predicates that are completed with all actions that read and write them; a program's share of the time.
MAX_COMPLETED, _COMPLETING = 3, 2 / 3
_WORDS = re.compile(r"add predicate \(([^ )]+) ?([^)]*(?:\([^)]*\)[^)]*)*)\), at the start true of (.+)")
_NOTHING = "nothing"


@dataclass(frozen=True)
class NewPredicate:
    """The edit: a declaration, and what it is true of at the start."""

    name: str
    parameters: Parameters
    start: str = ""  #: a static predicate of the same arity, or SEEN; empty for nothing

    @property
    def words(self) -> str:
        """The edit, for people; `read` reads it."""
        declared = show_declaration(self.name, self.parameters)
        return f"add predicate {declared}, at the start true of {self.start or _NOTHING}"

    @classmethod
    def read(cls, words: str) -> Self | None:
        """The edit that the words are of; None if they are of another kind of edit."""
        found = _WORDS.fullmatch(words)
        if found is None:
            return None
        name, parameters, start = found.groups()
        typed = read_typed(_words_of(parameters))
        return cls(name, typed, "" if start == _NOTHING else start)

    def declared_in(self, domain: Domain) -> str:
        """The text of the domain with the predicate."""
        declaration = parsed(show_declaration(self.name, self.parameters))
        tree, new = tree_of(domain), (":predicates", declaration)
        sections = list(tree.sections)
        for at, section in enumerate(sections):
            if section[0] == ":predicates":
                sections[at] = (*section, declaration)
                break
            if section[0] == ":action":
                sections.insert(at, new)
                break
        return DomainTree(tuple(sections), tree.actions).render()

    def begun_in(self, problem: Problem) -> Problem:
        """A problem with the predicate's atoms of the initial state."""
        new = {(self.name, *atom[1:]) for atom in problem.init if atom[0] == self.start}
        return replace(problem, init=problem.init | new)


def carried_over(words: str, problem: Problem) -> Problem:
    """A problem of another task, in a domain with this structural edit, with the atoms that it brings.

    Other edits than new predicates bring none.
    """
    new = NewPredicate.read(words)
    return problem if new is None else new.begun_in(problem)


def new_predicates(
    repairs: Repairs, found: Candidate, stop: Callable[[], bool], cpu_s: float = inf
) -> Iterator[Variant]:
    """Variants with one predicate more, the likeliest first.

    Of predicates that may explain a fifth of what is refused: with effects of all actions that write the
    facts which are needed, where that explains everything; else the first one that a program completes with
    the fewest edits. If there are none, with effects of the actions that write a single fact. `cpu_s` is
    about the processor time of the program, in seconds.
    """
    latents = sorted(_latents(repairs, found, stop), key=lambda one: (one.cost, len(one.reader.places)))
    likeliest = _by_predicate(repairs, found, latents)[:MAX_COMPLETED]
    written = [variant for own in likeliest if (variant := _written_for_all(repairs, found, own)) is not None]
    if written:
        yield from written
        return
    for own in likeliest:
        if stop():
            return
        variant = _fewest(repairs, own[0], _COMPLETING * cpu_s, stop)
        if variant is not None:
            yield variant
            return
    for latent in latents[:MAX_PROPOSED]:
        if latent.cost > latents[0].cost + MOST_WORSE:
            return
        new, alone = _declared(repairs.model, latent)
        effects = _written(latent, new.name, Model.of(*alone.problems))
        if effects is not None:
            yield replace(alone, edits=found.edits | effects)


def _by_predicate(repairs: Repairs, found: Candidate, latents: Sequence[Latent]) -> list[list[Latent]]:
    """The facts of each predicate that explain most of its readers' refusals; the predicates by how much.

    Only those that may explain a fifth of what is refused. Refusals of one action count by the logarithm of
    their number, as those of another may be rare.
    """
    model, tables = repairs.model, repairs.tables(found.edits)
    weights = {
        name: float(np.log2(1 + np.count_nonzero(_refusals(repairs, action, found, tables).refused)))
        for name, action in model.actions.items()
    }
    best: dict[object, dict[str, Latent]] = {}
    for latent in latents:
        kinds = tuple(kind for _, kind in _predicate_of(latent, model.domain).parameters)
        own, reader = best.setdefault((kinds, latent.start), {}), latent.reader.action
        if reader not in own or latent.left < own[reader].left:
            own[reader] = latent
    listed = [list(own.values()) for own in best.values()]

    def explained(own: Sequence[Latent]) -> float:
        return sum(weights[one.reader.action] * (1 - one.left) for one in own)

    enough = [own for own in listed if 5 * explained(own) >= sum(weights.values())]
    return sorted(enough, key=explained, reverse=True)


def _written_for_all(repairs: Repairs, found: Candidate, latents: Sequence[Latent]) -> Variant | None:
    """The predicate with the effects that write each of some facts of it, if that explains everything.

    None where a fact leaves a refusal of its reader unexplained: other actions may write it as well.
    """
    if any(latent.left for latent in latents):
        return None
    new, alone = _declared(repairs.model, latents[0])
    changed, edits = changed_repairs(repairs, alone), found.edits
    for latent in latents:
        written = _written(latent, new.name, changed.model)
        if written is not None:
            edits |= written
    candidate = changed.candidate(_consistent(edits))
    return None if candidate.unexplained else replace(alone, edits=candidate.edits)


def _consistent(edits: frozenset[Edit]) -> frozenset[Edit]:
    """The edits without effects that delete what others of one action add."""
    effects = [edit for edit in edits if isinstance(edit, EffectEdit) and edit.present]
    added = {(edit.action, opposite(edit.effect)) for edit in effects if edit.effect.positive}
    return edits - {edit for edit in effects if (edit.action, edit.effect) in added}


def _fewest(repairs: Repairs, latent: Latent, cpu_s: float, stop: Callable[[], bool]) -> Variant | None:
    """The predicate of a fact with the fewest edits that explain everything, if such edits name it."""
    new, alone = _declared(repairs.model, latent)
    fewest = fewest_edits(changed_repairs(repairs, alone), cpu_s, stop, patient=False).candidate
    names = fewest.edits_about(repairs.model.actions)[new.name] > 0
    return replace(alone, edits=fewest.edits) if names and not fewest.unexplained else None


def _declared(model: Model, latent: Latent) -> tuple[NewPredicate, Variant]:
    """The predicate of a fact, and the variant that declares it and has its initial atoms."""
    new = _predicate_of(latent, model.domain)
    problems = problems_in(model, new.declared_in(model.domain))
    return new, Variant(new.words, _begun(latent, new, problems, model), 1 + len(latent.start.atoms))


def _begun(
    latent: Latent, new: NewPredicate, problems: Sequence[Problem], model: Model
) -> tuple[Problem, ...]:
    """The problems of all tasks with the atoms that a fact is true of at the start."""
    arity, begun = len(new.parameters), [new.begun_in(problem) for problem in problems]
    for task, key in sorted(latent.start.atoms):
        numbers = decoded(np.array(key), arity, model.base)
        atom = (new.name, *(model.objects[int(number)] for number in numbers))
        begun[task] = replace(begun[task], init=begun[task].init | {atom})
    return tuple(begun)


def _latents(repairs: Repairs, candidate: Candidate, stop: Callable[[], bool]) -> Iterator[Latent]:
    """Hidden facts for each action that is refused where a candidate would run it."""
    model, tables = repairs.model, repairs.tables(candidate.edits)
    domain = model.domain
    kinds = {name: [str(p.sort.name) for p in a.parameters] for name, a in domain.actions.items()}
    for _, action in sorted(model.actions.items()):
        refusals = _refusals(repairs, action, candidate, tables)
        if refusals.refused.any():
            statics = list(_statics(model, tables))
            meets = _meeting(domain)
            yield from latents_of(repairs.seen.walks, refusals, kinds, meets, statics, model.base, stop)


def _refusals(repairs: Repairs, action: Editable, candidate: Candidate, tables: Tables) -> Refusals:
    """The executed examples of an action, and the refused ones that no precondition of the model excludes."""
    examples, refuted = repairs.seen.of[action.name], candidate.fit_of(action).refuted
    parts = (p for p in action.preconditions if p not in refuted)
    runs = repairs.satisfied(action, (*parts, *action.fixed), tables)
    wrongly = examples.negative[runs[examples.negative]]
    which = np.concatenate([examples.positive, wrongly])
    refused = np.arange(len(which)) >= len(examples.positive)
    return Refusals(action.name, examples.nodes[which], examples.arguments[which], refused)


def _statics(model: Model, tables: Tables) -> Iterator[Static]:
    for name, parameters in model.domain.vocabulary.predicates.items():
        if name not in model.tasks[0].fluents and parameters:
            yield name, [kind for _, kind in parameters], tables[name]


def _meeting(domain: Domain) -> Callable[[str, str], bool]:
    def meets(one: str, other: str) -> bool:
        return domain.is_subtype(one, other) or domain.is_subtype(other, one)

    return meets


def _predicate_of(latent: Latent, domain: Domain) -> NewPredicate:
    """The predicate of a fact, of the narrowest types that hold the arguments of all who read or write it."""
    parameters = []
    for place in range(len(latent.reader.places)):
        own = {_kind(domain, one, place) for one in (latent.reader, *latent.setters, *latent.clearers)}
        declared = (*sorted(own), *domain.types, OBJECT)
        wide = [kind for kind in declared if all(domain.is_subtype(one, kind) for one in own)]
        narrowest = min(wide, key=lambda kind: sum(domain.is_subtype(other, kind) for other in domain.types))
        parameters.append((f"?x{place + 1}" if len(latent.reader.places) > 1 else "?x", narrowest))
    name = next(n for n in (f"{ADDED}-{i}" for i in count(1)) if n not in domain.predicates)
    return NewPredicate(name, tuple(parameters), SEEN if latent.start.atoms else latent.start.static)


def _kind(domain: Domain, writer: Writer, place: int) -> str:
    return str(domain.actions[writer.action].parameters[writer.places[place]].sort.name)


def _written(latent: Latent, name: str, model: Model) -> frozenset[Edit] | None:
    """The effects that write a fact; None if the model cannot have one of them."""
    edits: list[Edit] = []
    for writers, adds in ((latent.setters, True), (latent.clearers, False)):
        for writer in writers:
            effect = Literal(name, tuple(~place for place in writer.places), adds)
            if effect not in model.actions[writer.action].candidates:
                return None
            edits.append(EffectEdit(writer.action, effect, True))
    return frozenset(edits)


def _words_of(typed: str) -> list[str]:
    """The words of a typed list, `(either a b)` as one."""
    return re.findall(r"\([^)]*\)|[^\s()]+", typed)
