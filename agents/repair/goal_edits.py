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
from agents.repair.search import Repairs
from agents.repair.states import Paths
from envs.pddl.simulation.lifted import Literal

#: Edits by which a guess may differ from the model it starts from.
MOST_EDITS = 6
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
        wanted = model.wanted
        read = {predicate for predicate, _ in wanted}
        self._wanted = wanted
        self._literals = {
            n: [p for p in _literals(a) if p.predicate in read] for n, a in model.actions.items()
        }

    def first(self, start: Candidate, most: int, stop: Callable[[], bool]) -> Candidate | None:
        """The first guess among the `most` sets of edits that are looked at, or None.

        Preconditions are fitted only where the goal alone speaks for a set: until then, it is expected to be
        worth one more for each edit, and one more for each predicate that the goal still lacks.
        """
        order, seen = count(), {start.edits}
        open_ = [(start.worth + self._reach.distance(start.edits), 0.0, next(order), start.edits)]
        while open_ and most and not stop():
            expected, doubt, _, edits = heapq.heappop(open_)
            most -= 1
            if self._agrees(edits):
                found = self._repairs.candidate(edits)
                if found.unexplained or self._repairs.overlooked(found):
                    continue
                if found.worth > expected:  # its preconditions have to be edited as well
                    heapq.heappush(open_, (found.worth, doubt, next(order), edits))
                    continue
                if found.rules not in self._known.planless:
                    return found
            for edit in self._mending(edits):
                after = edits ^ {edit}
                if after not in seen and len(after ^ start.edits) <= MOST_EDITS:
                    seen.add(after)
                    nearer = self._reach.distance(edits) - self._reach.distance(after)
                    worth = expected + len(after) - len(edits) - nearer
                    heapq.heappush(open_, (worth, doubt + self._doubt(edit), next(order), after))
        return None

    def _agrees(self, edits: frozenset[Edit]) -> bool:
        """Whether neither a verdict nor a part out of reach speaks against a model."""
        return not self._reach.contradicted(edits, self._known.verdicts) and not self._reach.missing(edits)

    def _mending(self, edits: frozenset[Edit]) -> Iterator[EffectEdit]:
        """Edits that may put right what keeps a model from being a guess."""
        wrong = self._reach.contradicted(edits, self._known.verdicts)
        missing = self._reach.missing(edits)
        if wrong:
            yield from self._correcting(wrong[0], edits)
        elif missing:
            for edit in self._edits(sorted(self._model.actions), edits, True):
                if len(self._reach.missing(edits ^ {edit})) < len(missing):
                    yield edit
        else:
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
            for effect in self._literals[name]:
                helps = (effect.predicate, effect.positive) in self._wanted
                harms = (effect.predicate, not effect.positive) in self._wanted
                gone, come = (harms, helps) if towards else (helps, harms)
                if gone if effect in now else come and _opposite(effect) not in now:
                    yield EffectEdit(name, effect, effect not in action.effects)

    def _doubt(self, edit: EffectEdit) -> float:
        """How unlikely an edit is, beside others; the lower, the likelier."""
        terms, adding = edit.effect.terms, edit.present
        plain = len(set(terms)) == len(terms) and all(t < 0 for t in terms)
        akin = _akin(edit.action, edit.effect.predicate)
        return (not plain) + (adding and not akin) + (edit.action not in self._ran)


def _literals(action: Editable) -> list[Literal]:
    """What may be an effect of an action, and its own effects that could not be added."""
    return [*action.candidates, *sorted(action.effects - set(action.candidates), key=repr)]


def _opposite(literal: Literal) -> Literal:
    return Literal(literal.predicate, literal.terms, not literal.positive)


def _akin(one: str, other: str) -> bool:
    """Whether two names have a word in common, or two that begin alike."""
    stems = ({word[:_STEM] for word in name.replace("_", "-").split("-")} for name in (one, other))
    return bool(set.intersection(*stems))
