"""The most that a model written action by action, and plans for instructions, may ask for.

Every dialogue is taken to go on to its last turn, every remark to be made, all about the same action, and
every problem to be mended. What a turn shows of the model is at most what all answers so far have written.
"""

from __future__ import annotations

from dataclasses import dataclass

from agents.llm.interface import Message
from agents.llm.tokens import most_prompt_tokens
from agents.requests import mend_problem_turn, plan_request
from agents.texts import WorldTexts
from agents.worldmodel.brief import Brief
from agents.worldmodel.construct import FEWEST_PASSES, Settings
from agents.worldmodel.goals import Asked
from agents.worldmodel.model import WorldModel
from agents.worldmodel.requests import (
    Messages,
    action_request,
    admissible_request,
    faults_turn,
    instruction_request,
    problem_request,
    remark_turn,
    shown_plan_request,
    unsound_plan_turn,
)
from envs.world import open_world
from experiments.evaluation.instructed import asked_of
from experiments.methods.worldmodel_feedback import most_remarks
from experiments.runs.units import Person, Unit
from experiments.spending.bounds import FAILURE_TOKENS, asked, candidate_queries
from experiments.spending.caps import Bound

#: Replies of one dialogue, and attempts at a problem or a goal.
_REPLIES = Settings().turns + 1
_ATTEMPTS = 2
#: A model in words is taken to be so many times as long as what was written of it.
_SAID = 2


@dataclass(frozen=True)
class Needed:
    """What an episode asks a language model for."""

    model: bool  #: a domain, action by action
    translations: bool  #: instructions as problems of that domain
    plans: int  #: for each instruction, at most
    shown: bool = False  #: whether the domain in words is part of the requests for plans


def most_asked(unit: Unit, brief: Brief, longest: int, needed: Needed) -> Bound:
    """The bound of an episode that asks for no more than what is `needed`."""
    written = len(brief.actions) * longest
    total = _model(unit, brief, longest, written) if needed.model else Bound()
    for number in range(1, unit.tasks + 1):
        instruction = asked_of(unit.env, number)
        if needed.translations:
            total += _translated(instruction, brief, longest, written)
        if needed.shown:
            request = shown_plan_request(instruction.told, WorldModel(brief))
            total += _plans(instruction, longest, needed.plans, request, _SAID * written)
        else:
            total += _plans(instruction, longest, needed.plans, plan_request(instruction.told, True))
    return total


def _model(unit: Unit, brief: Brief, longest: int, written: int) -> Bound:
    """Construction, correction, and the problems and walks that correction takes."""
    empty, total, remarks = WorldModel(brief), Bound(), most_remarks(unit.person, brief)
    for action in brief.actions:
        first = action_request(brief, action, empty, ())
        turn = _heard(faults_turn((), empty), longest, written)
        for reply in range(_REPLIES):
            total += asked(first, longest, FEWEST_PASSES, more=written + reply * turn)
    requests = [action_request(brief, action, empty, ()) for action in brief.actions]
    dearest = max(requests, key=most_prompt_tokens, default=())
    turn = _heard(remark_turn(_said(unit.person), empty), longest, written)
    for reply in range(remarks * _REPLIES):
        total += asked(dearest, longest, more=written + (_REPLIES + reply) * turn)
    for task in unit.tasks_heard:
        request = problem_request(WorldTexts.of(open_world(unit.env, task)), empty)
        tries = _ATTEMPTS * (remarks + 1) + remarks
        total += asked(request, longest, tries, more=written + _ATTEMPTS * turn)
    # the first review and one after each remark, all of them again with a mended problem; with a person, one
    # more of the first and of the last model
    reviews = 2 * (remarks + 1) + (2 if unit.person is not None else 0)
    return total + Bound(world_queries=reviews * candidate_queries(unit))


def _said(person: Person | None) -> str:
    """All that a person says, of which a remark is a part."""
    return f"{person.remarks}\n{person.plan}" if person is not None else ""


def _translated(instruction: Asked, brief: Brief, longest: int, written: int) -> Bound:
    """An instruction's start and goals."""
    empty = WorldModel(brief)
    request = instruction_request(instruction.texts, instruction.start, instruction.instruction, empty)
    heard = _heard(mend_problem_turn("", empty.draft), longest, written)
    tries = (asked(request, longest, more=written + n * heard) for n in range(_ATTEMPTS))
    return sum(tries, Bound())


def _plans(instruction: Asked, longest: int, plans: int, request: Messages, more: int = 0) -> Bound:
    """Plans, and all their steps put into the form of actions; each request is `more` tokens longer."""
    total = Bound()
    heard = _heard(unsound_plan_turn(""), longest, 0)
    for turn in range(plans):
        total += asked(request, longest, more=more + turn * heard)
        total += asked(admissible_request(instruction.texts, ()), longest, more=longest)
    return total


def _heard(turn: Message, longest: int, written: int) -> int:
    """Tokens that a turn of feedback and the answer before it add to a conversation."""
    return longest + most_prompt_tokens([turn]) + FAILURE_TOKENS + written
