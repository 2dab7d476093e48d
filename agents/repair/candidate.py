"""A candidate of a repair: a set of edits of effects and initial atoms, and the preconditions that fit best.

What a candidate costs says which is better; of those that cost the same, the likelier (`Candidate.rank`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from agents.repair.model import ADDED, Editable, Fit, Model, is_unusual, opposite, pairs
from envs.pddl.simulation.lifted import TRUE, LiftedEffect, Literal

#: What a literal costs more that stands beside its negation.
DISABLING = 20
#: What an unexplained operator adds, per doubling of their number.
UNEXPLAINED = 0.35


@dataclass(frozen=True, order=True)
class EffectEdit:
    """An effect that one action gets or loses."""

    action: str
    effect: Literal
    present: bool  #: whether it has the effect now


@dataclass(frozen=True, order=True)
class InitialEdit:
    """An atom that becomes true or false in the initial state of one task."""

    predicate: str
    arguments: tuple[int, ...]
    present: bool
    task: int = 0


Edit = EffectEdit | InitialEdit


def predicate_of(edit: Edit) -> str:
    """The predicate that an edit is about."""
    return edit.effect.predicate if isinstance(edit, EffectEdit) else edit.predicate


def effects_of(action: Editable, edits: Collection[Edit]) -> list[Literal]:
    """The effects without condition that an edited action has, in a fixed order."""
    own = [e for e in edits if isinstance(e, EffectEdit) and e.action == action.name]
    kept = action.effects | {e.effect for e in own if e.present}
    kept -= {e.effect for e in own if not e.present}
    return sorted(kept, key=lambda e: (e.predicate, e.terms, e.positive))


def lifted_effects(action: Editable, edits: frozenset[Edit]) -> tuple[LiftedEffect, ...]:
    """All effects that an edited action has, those with conditions last."""
    plain = (LiftedEffect((), TRUE, e.predicate, e.terms, e.positive) for e in effects_of(action, edits))
    return (*plain, *action.conditional)


def is_added(predicate: str) -> bool:
    """Whether a predicate has the name of one that a repair added."""
    name, _, number = predicate.rpartition("-")
    return name == ADDED and number.isdigit()


def takes_from_goal(model: Model, edit: Edit) -> bool:
    """Whether an edit takes away an effect, or a truth at the start, of a kind that `Model.wanted` names.

    Many such effects are read by the goal alone, and walks never speak for them.
    """
    if isinstance(edit, EffectEdit):
        return not edit.present and (edit.effect.predicate, edit.effect.positive) in model.wanted
    return (edit.predicate, not edit.present) in model.wanted


def is_unlikely(model: Model, edit: Edit) -> bool:
    """Whether an edit adds an effect beside its opposite."""
    if not isinstance(edit, EffectEdit) or not edit.present:
        return False
    return opposite(edit.effect) in model.actions[edit.action].effects


def oddity(model: Model, action: str, effect: Literal) -> int:
    """In how many ways an effect that comes is unusual; of equals, the fewest are likeliest.

    It names a constant, where a parameter may be meant that has the same value in the tasks seen; it shares
    no argument with the action's own effects, where both have some; or no sibling of the action has more
    effects of its kind (`agents.repair.siblings`), unless it makes true what the model only makes false, and
    what holds of nothing at the start.
    """
    own = model.actions[action]
    terms = {term for effects in (own.effects, own.conditional) for one in effects for term in one.terms}
    apart = bool(terms and effect.terms) and terms.isdisjoint(effect.terms)
    foreign = (effect.predicate, effect.positive) not in model.lacking[action]
    lost = (
        effect.positive and effect.predicate in model.undone and not _holds_at_start(model, effect.predicate)
    )
    return any(term >= 0 for term in effect.terms) + apart + (foreign and not lost)


def _holds_at_start(model: Model, predicate: str) -> bool:
    return any(task.init.get(predicate) for task in model.tasks)


def undoes_goal(model: Model, literal: Literal) -> bool:
    """Whether an effect undoes what goals ask for.

    What goals read serves well as a stand-in for another predicate, and is not there for the goal then. Only
    an action that does it elsewhere, such as one that moves something, is likely to undo it.
    """
    return (literal.predicate, not literal.positive) in model.wanted


def takes_what_is_not_needed(model: Model, edit: Edit, fits: Mapping[str, Fit]) -> bool:
    """Whether an edit adds an effect that makes an atom false which its action does not need.

    What an action takes away it mostly needs first: of two actions, the one that does is likelier.
    """
    if not isinstance(edit, EffectEdit) or not edit.present or edit.effect.positive:
        return False
    needed = fits.get(edit.action, Fit()).preconditions(model.actions[edit.action])
    return opposite(edit.effect) not in needed


def _undoing_goals(model: Model, edits: Collection[Edit]) -> int:
    """How many effects are added that undo what goals ask for and that their actions do nowhere."""
    added = (edit for edit in edits if isinstance(edit, EffectEdit) and edit.present)
    undoing = [edit for edit in added if undoes_goal(model, edit.effect)]
    done = {
        (name, effect.predicate, effect.positive)
        for name in {edit.action for edit in undoing}
        for effect in effects_of(model.actions[name], edits)
    }
    return sum((e.action, e.effect.predicate, not e.effect.positive) not in done for e in undoing)


def replaced(edits: Collection[Edit], fits: Mapping[str, Fit]) -> int:
    """How many literals only get other arguments: `pairs` of effects and of preconditions."""
    gone, come = dict[str, list[Literal]](), dict[str, list[Literal]]()
    for edit in edits:
        if isinstance(edit, EffectEdit):
            (come if edit.present else gone).setdefault(edit.action, []).append(edit.effect)
    effects = sum(pairs(own, come.get(action, ())) for action, own in gone.items())
    return effects + sum(own.pairs for own in fits.values())


@dataclass(frozen=True, eq=False)
class Candidate:
    """Edits of effects and initial atoms, and the preconditions that fit best with them."""

    edits: frozenset[Edit]
    fits: dict[str, Fit]
    proved: frozenset[tuple[str, Literal]] = frozenset()  #: preconditions that are wrong whatever effects do
    taken: int = 0  #: edits that take from the goal, see `takes_from_goal`
    replaced: int = 0  #: literals that only get other arguments, so that two edits count as one
    #: preconditions that are added and unusual in the model (`is_unusual`), or of actions never executed, or
    #: dropped and of `Model.undone`, and effects (`is_unlikely`, `undoes_goal`,
    #: `takes_what_is_not_needed`)
    unlikely: int = 0
    #: predicates of `Model.steady` that effects are added on, and the `oddity` of added effects
    unusual_effects: int = 0

    @classmethod
    def of(
        cls,
        model: Model,
        edits: frozenset[Edit],
        fits: dict[str, Fit],
        proved: Collection[tuple[str, Literal]],
        missed: Collection[str] = (),
    ) -> Candidate:
        """The candidate of a model with these edits and preconditions.

        What is added to actions that were `missed`, never executed, may well disable them.
        """
        added = ((literal, name in missed) for name, own in fits.items() for literal in own.added)
        dropped = (literal for own in fits.values() for literal in own.refuted)
        unlikely = sum(alone or is_unusual(literal, model.negated) for literal, alone in added)
        unlikely += sum(literal.positive and literal.predicate in model.undone for literal in dropped)
        unlikely += sum(is_unlikely(model, e) + takes_what_is_not_needed(model, e, fits) for e in edits)
        unlikely += _undoing_goals(model, edits)
        taken = sum(takes_from_goal(model, edit) for edit in edits)
        come = [edit for edit in edits if isinstance(edit, EffectEdit) and edit.present]
        unusual = len(model.steady & {edit.effect.predicate for edit in come})
        unusual += sum(oddity(model, edit.action, edit.effect) for edit in come)
        return cls(edits, fits, frozenset(proved), taken, replaced(edits, fits), unlikely, unusual)

    @property
    def rules(self) -> object:
        """What the candidate changes, without how often it was borne out."""
        return self.edits, self.conditions

    @property
    def conditions(self) -> dict[str, tuple[tuple[Literal, ...], tuple[Literal, ...]]]:
        """By action, the preconditions that it drops, and those that it adds."""
        return {name: (found.refuted, found.added) for name, found in self.fits.items()}

    @property
    def reads_doubts(self) -> bool:
        """Whether an added precondition reads a predicate whose initial atoms had to be edited."""
        doubted = {edit.predicate for edit in self.edits if isinstance(edit, InitialEdit)}
        return any(literal.predicate in doubted for own in self.fits.values() for literal in own.added)

    def fit_of(self, action: Editable) -> Fit:
        """The preconditions of an action, if any are changed."""
        return self.fits.get(action.name, Fit())

    @property
    def size(self) -> int:
        """All edits together."""
        return len(self.edits) + sum(f.edits for f in self.fits.values())

    def size_in(self, actions: Collection[str]) -> int:
        """All edits of these actions."""
        effects = sum(isinstance(edit, EffectEdit) and edit.action in actions for edit in self.edits)
        return effects + sum(own.edits for name, own in self.fits.items() if name in actions)

    def edits_about(self, actions: Collection[str]) -> Counter[str]:
        """How many edits of these actions, and of initial atoms, name each predicate."""
        own = (e for e in self.edits if isinstance(e, InitialEdit) or e.action in actions)
        found = Counter(map(predicate_of, own))
        for name, fitted in self.fits.items():
            if name in actions:
                found.update(literal.predicate for literal in (*fitted.refuted, *fitted.added))
        return found

    @property
    def cost(self) -> int:
        """All edits: two of a pair as one, one that takes from the goal as two, a contradiction as many."""
        contradictions = sum(found.contradictions for found in self.fits.values())
        return self.size + self.taken - self.replaced + DISABLING * contradictions

    @property
    def starts(self) -> int:
        """Edits of initial atoms."""
        return sum(isinstance(edit, InitialEdit) for edit in self.edits)

    @property
    def rank(self) -> tuple[float, int, int, int]:
        """Lower is better: weighed cost, edits of initial atoms, unlikely ones, edits of effects.

        The edits of initial atoms hold in one task only, those of effects change the states of all that comes
        after. Of as many, those are better that add fewer, and fewer unusual ones.
        """
        paired = self.replaced - sum(own.pairs for own in self.fits.values())
        added = sum(isinstance(edit, EffectEdit) and edit.present for edit in self.edits)
        effects = 2 * (len(self.edits) - self.starts) + added + self.unusual_effects
        return self.weighed_cost, self.starts, self.unlikely + paired, effects

    @property
    def unexplained(self) -> int:
        """Operators that no preconditions could put right."""
        return sum(f.left for f in self.fits.values())

    @property
    def weighed_cost(self) -> float:
        """The cost, and what is unexplained or in doubt; see `agents.repair.search`."""
        doubts = 0.0
        for name, found in self.fits.items():
            doubts += sum(
                math.log2(1 + wrong) for literal, wrong in found.dropped if (name, literal) not in self.proved
            )
            doubts += 2 * math.log2(1 + found.left)
        return self.cost + UNEXPLAINED * doubts


#: The model as it is.
UNEDITED = Candidate(frozenset(), {})
