"""Several sources of remarks as one, and a plan from a file as one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import pytest
from given_problem import GivenProblem
from true_answers import Knowing, brief_of, modelled, true_domain

from agents.llm.interface import Completion, Finish
from agents.llm.scripted import ScriptedModel
from agents.texts import WorldTexts
from agents.worldmodel.construct import Constructor, CorrectionEnding, Corrector
from agents.worldmodel.model import WorldModel
from agents.worldmodel.problems import TaskTranslator
from agents.worldmodel.remarks import InTurn, Opinion, Remark, Remarks, Review
from agents.worldmodel.sources import SuggestedPlan, UnreadablePlan, read_plan
from envs.pddl.language.domain import read_domain
from envs.source import read_texts
from envs.world import open_world

LOGISTICS = true_domain("logistics")
MODEL = modelled(LOGISTICS, brief_of("logistics"))
TEXT = read_texts("logistics", 1).domain
MOVE = "(drive-truck truck1 location2 location1 city1)"


@dataclass(frozen=True)
class Level:
    """Content from a level on; below it, the level is what a model is worth."""

    level: int
    name: str

    def review(self, model: WorldModel, made: Sequence[Remark]) -> Review:
        """The view of whatever model."""
        if self.level == 2:
            return Review(Opinion.CONTENT, (2.0,), world_queries=1)
        return Review(Opinion.OBJECTS, (float(self.level),), Remark(self.name, "x"), world_queries=1)


def at(levels: tuple[int, ...]) -> Review:
    return InTurn(tuple(Level(n, f"s{i}") for i, n in enumerate(levels))).review(MODEL, ())


def test_worth_orders_models_by_the_first_source_that_objects_and_is_blind_to_later_ones() -> None:
    for one, other in product(product(range(3), repeat=3), repeat=2):
        heard = [levels[: next((i + 1 for i, n in enumerate(levels) if n < 2), 3)] for levels in (one, other)]
        before, after = at(one).worth, at(other).worth
        assert (before < after) == (heard[0] < heard[1]) and (before == after) == (heard[0] == heard[1])


def test_the_first_source_that_objects_is_heard_and_those_before_it_are_paid_for() -> None:
    review = at((2, 0, 1))
    assert review.remark == Remark("s1", "x") and review.world_queries == 2
    assert at((2, 2, 2)).opinion is Opinion.CONTENT and at((2, 2, 2)).world_queries == 3
    assert at((1,)).worth == (0.0, 1.0)


def test_nobody_is_no_source() -> None:
    with pytest.raises(ValueError, match="no source"):
        InTurn(())


def test_a_persons_remarks_are_each_made_once_whoever_else_speaks() -> None:
    told = Remarks((Remark("load-truck", "a"), Remark("load-truck", "b")))
    other = Remark("drive-truck", "the environment's")
    assert told.review(MODEL, (other,)).remark == told.remarks[0]
    assert told.review(MODEL, (other, told.remarks[0], other)).remark == told.remarks[1]
    assert told.review(MODEL, (told.remarks[0], other, told.remarks[1])).opinion is Opinion.CONTENT


def test_a_correction_for_one_source_that_another_objects_to_is_not_kept() -> None:
    """The second source's wish breaks the plan, and the model from before that is the best one."""
    right, wrong = Knowing(LOGISTICS), TEXT.replace("(truck-at ?t ?from)", "(location-is-airport ?from)", 1)
    assert wrong != TEXT
    made = Constructor(right.model).construct(brief_of("logistics"), 0)
    problem = read_texts("logistics", 1).problem
    goal = f"{problem[: problem.index('(:goal')]}(:goal (truck-at truck1 location1)))"
    plan = SuggestedPlan((MOVE,), GivenProblem(goal))
    harmful = Knowing(LOGISTICS, read_domain(wrong))
    source = InTurn((plan, Level(0, "drive-truck")))
    ended = Corrector(harmful.model, patience=2).correct(made, source, 0)
    assert ended.ending is CorrectionEnding.NO_PROGRESS and ended.worth == (1.0, 0.0)
    assert ended.model == made.model and "does not allow step 1" in ended.remarks[1].words


def test_a_task_that_cannot_be_written_down_is_the_plans_remark_and_no_answer_is_none() -> None:
    text = TEXT.replace("(location-is-airport ?from)", "").replace("(location-is-airport ?to)", "")
    poor = modelled(read_domain(text), brief_of("logistics")).pruned()
    assert poor.predicate("location-is-airport") is None
    world = open_world("logistics")
    knowing = Knowing(LOGISTICS, None, {world.task: read_texts("logistics", 1).problem})
    texts = WorldTexts.of(world)
    review = SuggestedPlan((MOVE,), TaskTranslator(knowing.model, texts, 1)).review(poor, ())
    assert review.opinion is Opinion.OBJECTS and review.remark is not None
    assert world.task.strip() in review.remark.words and "airplane" in review.remark.action
    silent = TaskTranslator(ScriptedModel(lambda *_: Completion("", Finish.REFUSAL)), texts, 1)
    unknown = SuggestedPlan((MOVE,), silent).review(MODEL, ())
    assert unknown.opinion is Opinion.CANNOT_JUDGE and unknown.worth < review.worth


def test_a_task_that_is_written_down_wrong_is_others_and_the_model_left_alone() -> None:
    world, right = open_world("logistics"), read_texts("logistics", 1).problem
    right = f"{right[: right.index('(:goal')]}(:goal (truck-at truck1 location1)))"
    wrong = right.replace("(truck-at truck1 location2)", "")
    assert wrong != right
    llm = ScriptedModel([f"```pddl\n{wrong}\n```", f"```pddl\n{right}\n```"])
    plan = SuggestedPlan((MOVE,), TaskTranslator(llm, WorldTexts.of(world), 1))
    made: list[Remark] = []
    while (review := plan.review(MODEL, made)).remark is not None:
        made.append(review.remark)
    assert len(made) == 2 and review.opinion is Opinion.CONTENT and llm.requests == 2


def test_a_plan_is_read_as_it_is_written_and_every_operator_of_the_world_can_be_read() -> None:
    world = open_world("logistics")
    operators = world.applicable()
    text = "; a plan\n\n" + "\n".join(f"  {operator.upper()} ; a step" for operator in operators)
    assert read_plan(text, WorldTexts.of(world)) == operators and read_plan("", WorldTexts.of(world)) == ()
    with pytest.raises(UnreadablePlan, match=r"line 3: not an operator"):
        read_plan("\n\n((", WorldTexts.of(world))
