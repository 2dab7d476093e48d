"""Parts of preconditions that are no literals, chosen together with edits of literals by one program.

Where effects are wrong as well, no single rule explains more than before: the states that it is held
against are wrong. And edits of literals may stand in for a rule in the tasks that were seen, by atoms of
their initial states. So each action that is edited, or that has such parts, gets a few other ones to choose
from: what single edits make of its own parts (`agents.repair.rules.nested`), and quantified conditions with
one literal (`agents.repair.rules.quantified`). The program finds the fewest edits of all kinds.

Of many other parts those are offered that exclude most of what the world refuses, and that little of what
it executes refutes, in the states of the candidate that is to be improved. These may be wrong, so nothing
is ruled out by them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain, islice

import numpy as np

from agents.repair.candidate import Candidate
from agents.repair.constraints import fewest_edits
from agents.repair.examples import Tables
from agents.repair.model import EQUAL, Model, literals_over, terms_of
from agents.repair.rules.nested import nested_edits, thinned
from agents.repair.rules.parts import OtherPart, OwnPart, Parts, conjuncts_in, lifted, own_parts
from agents.repair.rules.quantified import Quantified, kinds_of_objects, rule_tree
from agents.repair.rules.variants import Variant
from agents.repair.search import Repairs
from envs.pddl.language.terms import Part, Tree, canonical, show, tree_of
from envs.pddl.simulation.lifted import FALSE, TRUE

#: Other parts that one action is offered.
MAX_OFFERED = 24
#: Other parts of one action that are looked at, those of own parts first.
MAX_LOOKED_AT = 400
#: Examples of each kind that they are held against.
_EXAMPLES = 200
#: Seconds of processor time that the program may take.
_PROGRAM_S = 15.0


def parts_and_literals(repairs: Repairs, found: Candidate, stop: Callable[[], bool]) -> Iterator[Variant]:
    """The variant with the fewest edits, if it has other parts and explains everything."""
    parts = offered(repairs, found)
    if not (parts.own or parts.others) or stop():
        return
    fewest = fewest_edits(repairs, _PROGRAM_S, stop, patient=False, parts=parts)
    if fewest.choice and not fewest.candidate.unexplained:
        yield parts.variant(repairs.model, fewest.choice, fewest.candidate.edits)


def offered(repairs: Repairs, found: Candidate) -> Parts:
    """What may be given up and taken."""
    model, tables = repairs.model, repairs.tables(found.edits)
    trees = tree_of(model.domain)
    own: list[OwnPart] = []
    others: list[OtherPart] = []
    for name, action in sorted(model.actions.items()):
        if not action.fixed and name not in found.fits:
            continue
        mine = list(own_parts(model, name))
        had = {canonical(tree) for tree in conjuncts_in(trees.part(name, Part.PRECONDITION))}
        some = chain(_rewritten(model, mine, len(own)), _quantified(model, name))
        looked_at = list(islice((other for other in some if canonical(other.tree) not in had), MAX_LOOKED_AT))
        own += mine
        others += _most_promising(repairs, found, tables, name, looked_at)
    return Parts(tuple(own), tuple(others))


def _rewritten(model: Model, own: list[OwnPart], first: int) -> Iterator[OtherPart]:
    """What single edits make of an action's own parts, which are numbered from `first` on."""
    tree, words = tree_of(model.domain), model.domain.vocabulary
    for name in {part.action for part in own}:
        whole = conjuncts_in(tree.part(name, Part.PRECONDITION))
        edits = sorted(nested_edits(tree, name, Part.PRECONDITION, words), key=lambda edit: edit.adds)
        for edit in edits:
            made = conjuncts_in(edit.made(tree))
            if len(made) < len(whole):  # a part is dropped, as it may be anyhow
                continue
            for number, part in enumerate(own, first):
                if made[part.place] != whole[part.place]:
                    yield from _other(model, name, made[part.place], 0, str(edit), number)


def _quantified(model: Model, name: str) -> Iterator[OtherPart]:
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
) -> Iterator[OtherPart]:
    """A part, unless it is always true or false."""
    schemas = lifted(model, name, tree)
    if all(schema.precondition not in (TRUE, FALSE) for schema in schemas):
        yield OtherPart(name, tree, schemas, size, words, instead)


def _most_promising(
    repairs: Repairs, found: Candidate, tables: Tables, name: str, parts: list[OtherPart]
) -> list[OtherPart]:
    """`MAX_OFFERED` of them at most, in their order."""
    action, examples = repairs.model.actions[name], repairs.seen.of[name]
    literals = [one for one in action.preconditions if one not in found.fit_of(action).refuted]
    runs = repairs.satisfied(action, literals, tables)
    executed, wrongly = (
        thinned(kind, _EXAMPLES) for kind in (examples.positive, examples.negative[runs[examples.negative]])
    )
    both = np.concatenate([executed, wrongly])

    def promise(part: OtherPart) -> float:
        own = replace(action, schemas=part.schemas)
        held = repairs.satisfied(own, [part.schemas[0].precondition], tables, both)
        refuted, excluded = (np.count_nonzero(~own) for own in np.split(held, [len(executed)]))
        return float(excluded / max(1, len(wrongly)) - 2 * refuted / max(1, len(executed)))

    promises = np.array([promise(part) for part in parts])
    return [parts[i] for i in sorted(np.argsort(-promises, kind="stable")[:MAX_OFFERED])]
