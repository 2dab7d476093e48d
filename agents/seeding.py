"""A domain that is there already, in the place of the first one that the language model would write.

It is put in the words of a reply, as calls of the two edit functions, and read as every reply is; so the
conversation goes on from it as from any other. Its actions are those of the world: parameters in the same
order under any names. What it lacks of the world's actions stays empty and can be mended like all else.
"""

from __future__ import annotations

import json

from agents.llm.interface import Completion
from agents.proposal import Proposal
from agents.refine import read_domain_reply
from agents.requests import domain_request
from agents.texts import WorldTexts
from envs.pddl.language.domain import Domain, read_domain
from envs.pddl.language.terms import Part, Tree, show, tree_of
from envs.pddl.language.vocabulary import show_typed


def seeded(parent: Proposal, texts: WorldTexts, domain: str) -> Proposal:
    """The child of a root that this domain makes. Raises PDDLError for one that cannot be read."""
    if parent.problem is None:
        raise ValueError(f"no domain fits a root without a problem: {parent.fault}")
    messages = domain_request(texts, parent.problem)
    return read_domain_reply(parent, messages, Completion(edit_calls(read_domain(domain), texts)))


def edit_calls(domain: Domain, texts: WorldTexts) -> str:
    """A domain as a reply of a language model: predicates, and actions in the variables of the world."""
    declared = [
        f"({f'{name} {show_typed(kinds)}'.strip()})" for name, kinds in domain.vocabulary.predicates.items()
    ]
    lines = [f"add_or_update_predicates({json.dumps(declared)})"]
    tree = tree_of(domain)
    for action in texts.actions:
        own = domain.vocabulary.actions.get(action.name)
        if own is None or len(own) != len(action.parameters):
            continue
        names = {variable: p.name for (variable, _), p in zip(own, action.parameters, strict=True)}
        parts = [_conjuncts(_renamed(tree.part(action.name, part), names)) for part in Part]
        lines.append(f"modify_action({json.dumps(action.name)}, {', '.join(map(json.dumps, parts))})")
    return "```python\n" + "\n".join(lines) + "\n```"


def _renamed(tree: Tree, names: dict[str, str]) -> Tree:
    if isinstance(tree, str):
        return names.get(tree, tree)
    return tuple(_renamed(part, names) for part in tree)


def _conjuncts(tree: Tree) -> list[str]:
    """The parts of a conjunction; of anything else, itself."""
    assert not isinstance(tree, str), "a condition or effect is in parentheses"
    return [show(part) for part in (tree[1:] if tree[:1] == ("and",) else (tree,))]
