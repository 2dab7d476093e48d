"""Models that may be right about the goal: edits of effects on what the goal reads, the likeliest first.

A guess explains all walks and all verdicts on the goal, and leaves no part of the goal out of reach. Guesses
are found from a model that explains the walks, by effects that walks have no say in:

- a part of the goal is out of reach: some action is lacking an effect of the kind that the goal asks for;
- the goal holds in the model after a walk and not in the world: some action on the walk has such an effect
  too much, or is lacking one that undoes it; the other way round if it holds in the world alone;
- no plan was found though no part is out of reach: either may be the cause.

Preconditions are fitted anew for each guess, so one that takes back an edit of an effect may come with the
edit of a precondition that explains the walks as well. The fewest edits come first; of equal ones the
likeliest: by name (`serve` makes `served`), by plain arguments, and of actions that were seen to run.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from itertools import count

from agents.repair.candidate import Candidate, Edit, EffectEdit, effects_of
from agents.repair.goal_reach import GoalReach
from agents.repair.model import Editable, Model
from agents.repair.paths import Paths
from agents.repair.search import Repairs
from envs.pddl.lifted import Literal

#: Edits by which a guess may differ from the model it starts from.
MOST_EDITS = 4
#: Letters that two words have to begin with alike.
_STEM = 4


@dataclass(frozen=True, eq=False)
class Known:
    """What guesses have to agree with."""

    verdicts: dict[int, bool]  #: node of the walks to whether the goal holds there in the world
    planless: Collection[object]  #: `Candidate.rules` of the models in which no plan was found


class GoalGuesses:
    """The guesses from one model, for what is known by now."""

    def __init__(self, model: Model, repairs: Repairs, reach: GoalReach, known: Known):
        self._model, self._repairs, self._reach, self._known = model, repairs, reach, known
        self._paths = Paths.of(repairs.lessons.walks)
        self._ran = {step.action for step in self._paths.steps}

    def first(self, start: Candidate, most: int, stop: Callable[[], bool]) -> Candidate | None:
        """The first guess among the `most` candidates that are looked at, or None."""
        order, seen = count(), {start.edits}
        open_: list[tuple[float, float, int, Candidate]] = [(0, 0, next(order), start)]
        while open_ and not stop():
            _, doubt, _, candidate = heapq.heappop(open_)
            faults = list(dict.fromkeys(self._mending(candidate)))
            if not faults and self._is_open(candidate):
                return candidate
            for edit in faults:
                edits = candidate.edits ^ {edit}
                if edits in seen or len(edits ^ start.edits) > MOST_EDITS or len(seen) >= most:
                    continue
                seen.add(edits)
                found = self._repairs.candidate(edits)
                if found.unexplained or self._repairs.overlooked(found):
                    continue
                worth = found.worth + bool(self._reach.missing(edits))
                heapq.heappush(open_, (worth, doubt + self._doubt(edit), next(order), found))
        return None

    def _is_open(self, candidate: Candidate) -> bool:
        return candidate.rules not in self._known.planless

    def _mending(self, candidate: Candidate) -> Iterator[EffectEdit]:
        """Edits that may put right what speaks against a candidate; none if nothing does."""
        edits = candidate.edits
        wrong = self._reach.contradicted(edits, self._known.verdicts)
        missing = self._reach.missing(edits)
        if wrong:
            yield from self._correcting(wrong[0], edits)
        elif missing:
            for edit in self._edits(sorted(self._model.actions), edits, True):
                if len(self._reach.missing(edits ^ {edit})) < len(missing):
                    yield edit
        elif not self._is_open(candidate):
            for towards in (True, False):
                yield from self._edits(sorted(self._model.actions), edits, towards)

    def _correcting(self, node: int, edits: frozenset[Edit]) -> Iterator[EffectEdit]:
        """Edits of what ran on the way to a node; where the world has no goal, one alone must do."""
        holds = self._known.verdicts[node]
        on_walk = sorted({step.action for step in self._paths.to(node)})
        for edit in self._edits(on_walk, edits, holds):
            if holds or not self._reach.held(edits ^ {edit})[node]:
                yield edit

    def _edits(self, actions: Collection[str], edits: frozenset[Edit], towards: bool) -> Iterator[EffectEdit]:
        """Edits of some actions that help the goal to hold, or keep it from holding."""
        for name in actions:
            action = self._model.actions[name]
            now = frozenset(effects_of(action, edits))
            for effect in self._literals(action):
                helps = (effect.predicate, effect.positive) in self._model.wanted
                harms = (effect.predicate, not effect.positive) in self._model.wanted
                gone, come = (harms, helps) if towards else (helps, harms)
                if gone if effect in now else come and _opposite(effect) not in now:
                    yield EffectEdit(name, effect, effect not in action.effects)

    def _literals(self, action: Editable) -> list[Literal]:
        """What may be an effect of an action, and its own effects that could not be added."""
        return [*action.candidates, *sorted(action.effects - set(action.candidates), key=repr)]

    def _doubt(self, edit: EffectEdit) -> float:
        """How unlikely an edit is, beside others; the lower, the likelier."""
        terms, adding = edit.effect.terms, edit.present
        plain = len(set(terms)) == len(terms) and all(t < 0 for t in terms)
        akin = _akin(edit.action, edit.effect.predicate)
        return (not plain) + (adding and not akin) + (edit.action not in self._ran)


def _opposite(literal: Literal) -> Literal:
    return Literal(literal.predicate, literal.terms, not literal.positive)


def _akin(one: str, other: str) -> bool:
    """Whether two names have a word in common, or two that begin alike."""
    stems = ({word[:_STEM] for word in name.replace("_", "-").split("-")} for name in (one, other))
    return bool(set.intersection(*stems))
