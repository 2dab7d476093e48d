"""The domain being edited: fixed types and action interface, predicates and conditions as text.

A draft is data and may be wrong in any way that the edits allow; `text()` writes it out for whoever reads
or judges it. Edits make a new draft and leave the old one as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from agents.edits import Edit, ModifyAction, SetPredicates
from agents.replies import hint
from envs.pddl.interface import ActionSignature
from envs.pddl.language.template import action_text, by_type, conjunction, domain_text
from envs.pddl.language.vocabulary import OBJECT, show_typed

#: Which requirement a word in a precondition or effect calls for, in the order in which they are written.
_REQUIREMENTS = {
    ":negative-preconditions": ("precondition", r"\(not\b"),
    ":disjunctive-preconditions": ("precondition", r"\((?:or|imply)\b"),
    ":equality": ("both", r"\(="),
    ":existential-preconditions": ("precondition", r"\(exists\b"),
    ":universal-preconditions": ("precondition", r"\(forall\b"),
    ":conditional-effects": ("effect", r"\((?:when|forall)\b"),
}


@dataclass(frozen=True)
class ActionDraft:
    """A lifted action with its conditions as canonical one-line texts; a list holds as a conjunction."""

    signature: ActionSignature
    preconditions: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()

    def text(self) -> str:
        """The action's PDDL, indented by two, after a blank line."""
        parameters = [(p.name, p.type) for p in self.signature.parameters]
        both = self.preconditions, self.effects
        conditions, effects = (conjunction(parts) if parts else "()" for parts in both)
        return action_text(self.signature.name, parameters, conditions, effects)


@dataclass(frozen=True)
class DomainDraft:
    """A domain as text in parts. Picklable; equal drafts have equal texts."""

    name: str
    types: tuple[tuple[str, str | None], ...]  #: (type, parent or None)
    actions: tuple[ActionDraft, ...]
    predicates: tuple[tuple[str, str], ...] = ()  #: (name, declaration), in the order of first declaration
    constants: tuple[tuple[str, str], ...] = ()  #: (object, type) of the objects that every task has

    @classmethod
    def empty(
        cls,
        name: str,
        types: Mapping[str, str | None],
        actions: Sequence[ActionSignature],
        constants: Mapping[str, str] | None = None,
    ) -> DomainDraft:
        """The draft without predicates and conditions."""
        named = tuple((constants or {}).items())
        return cls(name, tuple(types.items()), tuple(ActionDraft(a) for a in actions), constants=named)

    def apply(self, edits: Iterable[Edit]) -> tuple[DomainDraft, tuple[str, ...]]:
        """The draft after all edits that fit it, in order, and why each other edit was refused."""
        draft, refusals = self, []
        for edit in edits:
            match edit:
                case SetPredicates():
                    merged = dict(draft.predicates) | dict(edit.predicates)
                    draft = replace(draft, predicates=tuple(merged.items()))
                case ModifyAction():
                    actions = {a.signature.name: a for a in draft.actions}
                    if edit.action in actions:
                        signature = actions[edit.action].signature
                        actions[edit.action] = ActionDraft(signature, edit.preconditions, edit.effects)
                        draft = replace(draft, actions=tuple(actions.values()))
                    else:
                        there = hint(edit.action, actions, "the actions are", "`")
                        fault = f"there is no action `{edit.action}`, and actions cannot be added; {there}"
                        refusals.append(f"modify_action: {fault}")
        return draft, tuple(refusals)

    def without_effects(self) -> tuple[str, ...]:
        """The names of the actions that change nothing: no candidate may have any."""
        return tuple(a.signature.name for a in self.actions if not a.effects)

    def text(self) -> str:
        """The domain's PDDL, with the requirements that it uses."""
        return domain_text(
            self.name,
            " ".join(self._requirements()),
            by_type({name: parent or OBJECT for name, parent in self.types}),
            show_typed(self.constants),
            self._declarations("    "),
            (action.text() for action in self.actions),
        )

    def predicates_text(self) -> str:
        """The `(:predicates ...)` section, one declaration a line."""
        return f"(:predicates{self._declarations('  ')})"

    def _declarations(self, indent: str) -> str:
        return "".join(f"\n{indent}{declaration}" for _, declaration in self.predicates)

    def _requirements(self) -> list[str]:
        texts = {
            "precondition": " ".join(c for a in self.actions for c in a.preconditions),
            "effect": " ".join(e for a in self.actions for e in a.effects),
        }
        texts["both"] = " ".join(texts.values())
        # A condition inside `when` is a precondition too; one word more in the list does no harm.
        if "(when" in texts["effect"]:
            texts["precondition"] = texts["both"]
        used = [name for name, (where, word) in _REQUIREMENTS.items() if re.search(word, texts[where])]
        return [":strips", ":typing", *used]
