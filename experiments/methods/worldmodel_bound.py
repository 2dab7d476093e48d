"""The most that a model written action by action, and plans for instructions, may ask for.

Every dialogue is taken to go on to its last turn, every remark to be made, all about the same action, and
every problem to be corrected. What a turn shows of the model is at most what all answers so far have written.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from agents.llm.interface import Message, most_prompt_tokens
from agents.prompts import turn
from agents.requests import plan_request, problem_correction_turn
from agents.texts import WorldTexts
from agents.worldmodel import requests
from agents.worldmodel.construct import FEWEST_PASSES, Settings
from agents.worldmodel.model import Brief, WorldModel
from agents.worldmodel.problems import ATTEMPTS, Asked
from envs.world import open_world
from experiments.methods.worldmodel_feedback import most_remarks
from experiments.runs.units import Unit
from experiments.spending.bounds import FAILURE_TOKENS, asked, candidate_queries
from experiments.spending.caps import Bound

#: Replies of one dialogue.
_REPLIES = Settings().turns + 1
#: A model in words is taken to be so many times as long as what was written of it.
_SAID = 2


@dataclass(frozen=True)
class ModellingBound:
    """The most that the parts of an episode ask for, with answers of `longest` tokens at most."""

    unit: Unit
    brief: Brief
    longest: int

    @cached_property
    def _empty(self) -> WorldModel:
        return WorldModel(self.brief)

    @property
    def _written(self) -> int:
        """Tokens of a whole model."""
        return len(self.brief.actions) * self.longest

    def model(self) -> Bound:
        """Construction, correction, and the problems and walks that correction takes."""
        person, remarks = self.unit.person, most_remarks(self.unit.person, self.brief)
        actions = [requests.action_request(self.brief, a, self._empty, ()) for a in self.brief.actions]
        heard, total = self._heard(requests.faults_turn((), self._empty), self._written), Bound()
        for first in actions:
            for reply in range(_REPLIES):
                total += asked(first, self.longest, FEWEST_PASSES, more=self._written + reply * heard)
        dearest = max(actions, key=most_prompt_tokens, default=())
        said = f"{person.remarks}\n{person.plan}" if person is not None else ""  # a remark is a part of it
        heard = self._heard(requests.remark_turn(said, self._empty), self._written)
        for reply in range(remarks * _REPLIES):
            total += asked(dearest, self.longest, more=self._written + (_REPLIES + reply) * heard)
        for task in self.unit.tasks_heard:
            texts = WorldTexts.of(open_world(self.unit.env, task))
            tries, more = ATTEMPTS * (remarks + 1) + remarks, self._written + ATTEMPTS * heard
            total += asked(requests.problem_request(texts, self._empty), self.longest, tries, more=more)
        # the first review and one after each remark, all of them again with a further problem; with a person,
        # one more of the first and of the last model
        reviews = 2 * (remarks + 1) + (2 if person is not None else 0)
        return total + Bound(world_queries=reviews * candidate_queries(self.unit))

    def translated(self, given: Asked) -> Bound:
        """An instruction's start and goals."""
        request = requests.instruction_request(given.texts, given.start, given.instruction, self._empty)
        heard = self._heard(problem_correction_turn("", self._empty.draft), self._written)
        tries = (asked(request, self.longest, more=self._written + n * heard) for n in range(ATTEMPTS))
        return sum(tries, Bound())

    def plans(self, given: Asked, plans: int, *, shown: bool) -> Bound:
        """Plans, and all their steps put into the form of actions; `shown`: with the model in words."""
        request, more, total = plan_request(given.told, True), 0, Bound()
        if shown:
            request = requests.shown_plan_request(given.told, self._empty)
            more = _SAID * self._written
        heard = self._heard(turn("worldmodel/unsound_plan.md", fault=""), 0)
        for number in range(plans):
            total += asked(request, self.longest, more=more + number * heard)
            total += asked(requests.admissible_request(given.texts, ()), self.longest, more=self.longest)
        return total

    def _heard(self, message: Message, written: int) -> int:
        """Tokens that a turn of feedback and the answer before it add to a conversation."""
        return self.longest + most_prompt_tokens([message]) + FAILURE_TOKENS + written
