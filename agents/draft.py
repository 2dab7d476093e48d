"""The domain being edited: fixed types and action interface, predicates and conditions as text.

A draft is data and may be wrong in any way that the edits allow; `text()` writes it out for whoever reads
or judges it. Edits make a new draft and leave the old one as it is.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from agents.edits import Edit, ModifyAction, SetPredicates
from envs.pddl.interface import ActionSignature
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
        typed = show_typed((p.name, p.type) for p in self.signature.parameters)
        return (
            f"\n  (:action {self.signature.name}\n"
            f"    :parameters ({typed})\n"
            f"    :precondition {_conjunction(self.preconditions)}\n"
            f"    :effect {_conjunction(self.effects)})"
        )


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
                    if any(a.signature.name == edit.action for a in draft.actions):
                        draft = replace(draft, actions=tuple(_modified(a, edit) for a in draft.actions))
                    else:
                        refusals.append(draft._unknown(edit.action))
        return draft, tuple(refusals)

    def without_effects(self) -> tuple[str, ...]:
        """The names of the actions that change nothing: no candidate may have any."""
        return tuple(a.signature.name for a in self.actions if not a.effects)

    def text(self) -> str:
        """The domain's PDDL, with the requirements that it uses."""
        parts = [f"(define (domain {self.name})", f"  (:requirements {' '.join(self._requirements())})"]
        if self.types:
            parts.append(f"  (:types {_types_text(self.types)})")
        if self.constants:
            parts.append(f"  (:constants {show_typed(self.constants)})")
        parts.append(self.predicates_text(indent="  "))
        parts.extend(a.text() for a in self.actions)
        return "\n".join(parts) + ")\n"

    def predicates_text(self, indent: str = "") -> str:
        """The `(:predicates ...)` section, one declaration a line."""
        lines = (f"\n{indent}  {declaration}" for _, declaration in self.predicates)
        return f"{indent}(:predicates{''.join(lines)})"

    def _requirements(self) -> list[str]:
        texts = {
            "precondition": " ".join(c for a in self.actions for c in a.preconditions),
            "effect": " ".join(e for a in self.actions for e in a.effects),
        }
        texts["both"] = " ".join(texts.values())
        # A condition inside `when` is a precondition too; one word more in the list harms nobody.
        if "(when" in texts["effect"]:
            texts["precondition"] = texts["both"]
        used = [name for name, (where, word) in _REQUIREMENTS.items() if re.search(word, texts[where])]
        return [":strips", ":typing", *used]

    def _unknown(self, action: str) -> str:
        names = [a.signature.name for a in self.actions]
        close = difflib.get_close_matches(action, names, n=1, cutoff=0.5)
        hint = f"did you mean `{close[0]}`?" if close else f"the actions are {', '.join(names)}"
        return f"modify_action: there is no action `{action}`, and actions cannot be added; {hint}"


def _modified(action: ActionDraft, edit: ModifyAction) -> ActionDraft:
    if action.signature.name != edit.action:
        return action
    return replace(action, preconditions=edit.preconditions, effects=edit.effects)


def _conjunction(parts: Sequence[str]) -> str:
    """`()`, or one part a line inside `(and ...)`."""
    if not parts:
        return "()"
    return "(and" + "".join(f"\n      {part}" for part in parts) + ")"


def _types_text(types: Sequence[tuple[str, str | None]]) -> str:
    """The types with the children of each parent together, parents in the order of their first mention."""
    parents = {name: parent or OBJECT for name, parent in types}
    order = list(dict.fromkeys(parents.values()))
    return show_typed(sorted(parents.items(), key=lambda item: order.index(item[1])))
