"""Conjuncts of preconditions that are no literals, chosen together with edits of literals by one program.

Where effects are wrong as well, no single rule explains more than before: the states that it is held
against are wrong. And edits of literals may stand in for a rule in the tasks that were seen, by atoms of
their initial states. So each action that is edited, or that has such conjuncts, gets a few others to choose
from: what one edit or two make of its own ones (`agents.repair.rules.nested_edits`), and quantified
conditions with one literal (`agents.repair.rules.quantified`). The program finds the fewest edits of all
kinds.

Of many conjuncts those are offered that exclude most of what the world refuses, and that little of what it
executes refutes, in the states of the candidate that is to be improved. These may be wrong, so nothing is
ruled out by them. Predicates that hold of something at first, and that neither the model changes nor that
candidate, are taken to stay as they are: quantified conditions that read them come to fewer facts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain, combinations, islice
from math import inf

import numpy as np

from agents.repair.candidate import Candidate, predicate_of
from agents.repair.constraints import fewest_edits
from agents.repair.examples import Tables
from agents.repair.model import EQUAL, Model, literals_over, terms_of
from agents.repair.rules.conjuncts import (
    OfferedConjuncts,
    OtherConjunct,
    OwnConjunct,
    lifted,
    own_conjuncts,
)
from agents.repair.rules.nested_edits import close_pairs, made, nested_edits
from agents.repair.rules.quantified import Quantified, kinds_of_objects, rule_tree
from agents.repair.rules.variants import Variant, thinned
from agents.repair.search import Repairs
from envs.pddl.language.terms import Part, Tree, canonical, conjunct_trees, show, tree_of
from envs.pddl.simulation.lifted import FALSE, TRUE

#: Other conjuncts that one action is offered.
MAX_OFFERED = 24
#: Other conjuncts of one action that are looked at, those made of own ones first.
MAX_LOOKED_AT = 400
#: Examples of each kind that they are held against.
_EXAMPLES = 200


def conjuncts_and_literals(
    repairs: Repairs, found: Candidate, stop: Callable[[], bool], cpu_s: float = inf, below: float = inf
) -> Iterator[Variant]:
    """The variant with the fewest edits, if it has other conjuncts and explains everything.

    `cpu_s` is the processor time that the program may take, in seconds; it ends as soon as it is proved that
    none costs less than `below`.
    """
    conjuncts = offered(repairs, found)
    if not (conjuncts.own or conjuncts.others) or stop():
        return
    fewest = fewest_edits(repairs, cpu_s, stop, patient=False, conjuncts=conjuncts, below=below)
    if fewest.choice and not fewest.candidate.unexplained:
        yield conjuncts.variant(repairs.model, fewest.choice, fewest.candidate.edits)


def offered(repairs: Repairs, found: Candidate) -> OfferedConjuncts:
    """What may be given up and taken."""
    model, tables = repairs.model, repairs.tables(found.edits)
    trees = tree_of(model.domain)
    own: list[OwnConjunct] = []
    others: list[OtherConjunct] = []
    for name, action in sorted(model.actions.items()):
        if not action.fixed and name not in found.fits:
            continue
        mine = list(own_conjuncts(model, name))
        had = {canonical(tree) for tree in conjunct_trees(trees.part(name, Part.PRECONDITION))}
        some = chain(_rewritten(model, name, mine, len(own)), _quantified(model, name))
        looked_at = list(islice((other for other in some if canonical(other.tree) not in had), MAX_LOOKED_AT))
        own += mine
        others += _most_promising(repairs, found, tables, name, looked_at)
    return OfferedConjuncts(tuple(own), tuple(others), _unchanged(model, found))


def _unchanged(model: Model, found: Candidate) -> frozenset[str]:
    """Predicates that hold of something at first, and that neither the model changes nor the candidate."""
    return model.steady - {predicate_of(edit) for edit in found.edits}


def _rewritten(model: Model, name: str, own: list[OwnConjunct], first: int) -> Iterator[OtherConjunct]:
    """What one edit or two make of an action's own conjuncts, which are numbered from `first` on."""
    if not own:
        return
    tree, words = tree_of(model.domain), model.domain.vocabulary
    whole = conjunct_trees(tree.part(name, Part.PRECONDITION))
    edits = list(nested_edits(tree, name, Part.PRECONDITION, words))
    adding, others = ([e for e in edits if e.adds == adds] for adds in (True, False))
    kept = [edit for edit in others if edit.after is not None]
    close = dict.fromkeys(close_pairs(tree, kept))
    two = (p for p in combinations(kept, 2) if p[0].place != p[1].place and p not in close)
    for some in chain(zip(others, strict=True), close, two, zip(adding, strict=True)):
        parts = conjunct_trees(made(tree, some))
        if len(parts) != len(whole):  # one is dropped, as it may be anyhow
            continue
        changed = [number for number, part in enumerate(parts) if part != whole[number]]
        for number, conjunct in enumerate(own, first):
            if changed == [conjunct.place]:
                said = "\n".join(map(str, some))
                yield from _other(model, name, parts[conjunct.place], len(some) - 1, said, number)


def _quantified(model: Model, name: str) -> Iterator[OtherConjunct]:
    """Quantified conditions with one literal."""
    action = model.actions[name]
    terms, variable = terms_of(name, model.domain, model.objects), ~len(action.schemas[0].members)
    for kind in filter(None, kinds_of_objects(model)):
        for literal in literals_over(model.domain, {**terms, variable: kind}):
            if variable in literal.terms and literal.predicate != EQUAL:
                for universal in (True, False):
                    rule = Quantified(kind, universal, (literal,))
                    tree = rule_tree(model, action, rule)
                    words = f"add {show(tree)} to the {Part.PRECONDITION} of {name}"
                    yield from _other(model, name, tree, rule.size, words, None)


def _other(
    model: Model, name: str, tree: Tree, size: int, words: str, instead: int | None
) -> Iterator[OtherConjunct]:
    """A conjunct, unless it is always true or false."""
    schemas = lifted(model, name, tree)
    if all(schema.precondition not in (TRUE, FALSE) for schema in schemas):
        yield OtherConjunct(name, tree, schemas, size, words, instead)


def _most_promising(
    repairs: Repairs, found: Candidate, tables: Tables, name: str, others: list[OtherConjunct]
) -> list[OtherConjunct]:
    """`MAX_OFFERED` of them at most, in their order."""
    action, examples = repairs.model.actions[name], repairs.seen.of[name]
    literals = [one for one in action.preconditions if one not in found.fit_of(action).refuted]
    runs = repairs.satisfied(action, literals, tables)
    executed, wrongly = (
        thinned(kind, _EXAMPLES) for kind in (examples.positive, examples.negative[runs[examples.negative]])
    )
    both = np.concatenate([executed, wrongly])

    def promise(other: OtherConjunct) -> float:
        alone = replace(action, schemas=other.schemas)
        held = repairs.satisfied(alone, [other.schemas[0].precondition], tables, both)
        refuted, excluded = (np.count_nonzero(~part) for part in np.split(held, [len(executed)]))
        return float(excluded / max(1, len(wrongly)) - 2 * refuted / max(1, len(executed)))

    promises = np.array([promise(other) for other in others])
    return [others[i] for i in sorted(np.argsort(-promises, kind="stable")[:MAX_OFFERED])]
