"""Correction: a person, a plan and the world put models right, and what cannot be put right ends in words."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest
from given_problem import GivenProblem
from true_answers import Knowing, brief_of, modelled, true_domain
from wide import wide

from agents.llm.interface import Completion, Finish
from agents.llm.scripted import ScriptedModel
from agents.texts import WorldTexts
from agents.worldmodel.construct import Construction, Constructor, CorrectionEnding, Corrector
from agents.worldmodel.model import WorldModel
from agents.worldmodel.problems import TaskTranslator
from agents.worldmodel.remarks import Opinion, Remark, Review, UnreadableRemarks, read_remarks
from agents.worldmodel.sources import EXAMINED, Found, SuggestedPlan, Walks, WorldTask
from envs.pddl.alignment.errors_of import align
from envs.pddl.language.domain import Domain, read_domain
from envs.pddl.language.terms import Part, literal_of, terms, tree_of, with_part, without_terms
from envs.pddl.mutation.faults import BreakKind, break_domain
from envs.source import read_texts
from envs.world import open_world
from ew.counterexample.explained import MAX_FURTHER
from ew.score.config import EWConfig
from experiments.runs.units import feedback_task

LOGISTICS = true_domain("logistics")
GRIPPERS = tuple(true_domain("grippers").actions)
PLAN = ("(load-truck p a b)",)


def lacking(domain: Domain, action: str, part: Part, literal: str) -> Domain:
    """The domain without one literal."""
    found = [t for t in terms(domain) if (t.action, t.part, t.text) == (action, part, literal)]
    assert found
    return read_domain(without_terms(domain, found))


def with_literal(domain: Domain, action: str, part: Part, literal: str) -> Domain:
    """The domain with one literal more."""
    tree = tree_of(domain)
    whole = with_part(tree.part(action, part), literal_of(literal))
    return read_domain(tree.replaced(action, part, whole).render())


#: Small cases first: what is shown of any model at all is shown of them.
BROKEN = {
    "grippers, an effect lost": ("grippers", [("move", Part.EFFECT, "(not (at-robby ?r ?from))", False)]),
    "tyreworld, a precondition lost": ("tyreworld", [("loosen", Part.PRECONDITION, "(on-ground ?h)", False)]),
    "logistics, an effect lost": (
        "logistics",
        [("drive-truck", Part.EFFECT, "(not (truck-at ?t ?from))", False)],
    ),
    "logistics, effects that other actions show": (
        "logistics",
        [("load-airplane", Part.EFFECT, "(not (location-is-airport ?l))", True)],
    ),
    "grippers_ood, three at once": (
        "grippers_ood",
        [
            ("pick", Part.PRECONDITION, "(free ?r ?g)", False),
            ("move", Part.EFFECT, "(prepared ?from)", True),
            ("drop", Part.EFFECT, "(free ?r ?g)", False),
        ],
    ),
}


def construction(case: str, problems: tuple[int, ...] = (1,)) -> tuple[Knowing, Construction, Walks]:
    """A broken model of a world, who corrects it when told, and the world to tell."""
    world, changes = BROKEN[case]
    true = broken = true_domain(world)
    for action, part, literal, more in changes:
        broken = (
            with_literal(broken, action, part, literal) if more else lacking(broken, action, part, literal)
        )
    opened = [open_world(world, number) for number in problems]
    texts = {o.task: read_texts(world, n).problem for o, n in zip(opened, problems, strict=True)}
    knowing = Knowing(broken, true, texts)
    made = Constructor(knowing.model).construct(brief_of(world), 0)
    tasks = tuple(WorldTask(o, TaskTranslator(knowing.model, WorldTexts.of(o), 1)) for o in opened)
    return knowing, made, Walks(tasks, seed=5)


@pytest.mark.parametrize(
    "case", wide(BROKEN, "grippers, an effect lost", "logistics, effects that other actions show")
)
def test_the_world_alone_puts_a_model_right(case: str) -> None:
    world, changes = BROKEN[case]
    knowing, made, walks = construction(case)
    true = true_domain(world)
    assert len(align(true, read_domain(made.model.text()), in_order=True).errors) == len(changes)
    before = walks.review(made.model, ())
    assert before.opinion is Opinion.OBJECTS and before.worth[:2] < (1.0, 1.0)
    mended = Corrector(knowing.model).correct(made, walks, 0)
    assert mended.ending is CorrectionEnding.CONTENT and mended.worth[:2] == (1.0, 1.0)
    assert align(true, read_domain(mended.model.text()), in_order=True).errors == ()
    assert len(changes) <= len(mended.remarks) <= 2 * len(changes) and mended.world_queries > 0
    assert {action for action, *_ in changes} <= {remark.action for remark in mended.remarks}
    assert all("Incorrect. Your model and the environment disagree." in r.words for r in mended.remarks)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("world", "faults", "seed"),
    wide(
        [("grippers", 2, 0), ("logistics", 8, 1), ("tyreworld", 8, 1)],
        ("grippers", 2, 0),
    ),
)
def test_a_model_with_many_faults_comes_to_agree_with_the_world(world: str, faults: int, seed: int) -> None:
    true = true_domain(world)
    broken = read_domain(break_domain(true, BreakKind.MIXED, faults, np.random.default_rng(seed)).domain)
    opened = [open_world(world, task) for task in ("f01", "f02")]
    problems = {o.task: read_texts(world, f"f0{n}").problem for n, o in enumerate(opened, 1)}
    knowing = Knowing(broken, true, problems)  # who mends only the action that is being spoken of
    made = Constructor(knowing.model).construct(brief_of(world), 0)
    tasks = tuple(WorldTask(o, TaskTranslator(knowing.model, WorldTexts.of(o), 1)) for o in opened)
    mended = Corrector(knowing.model).correct(made, Walks(tasks, seed), 0)
    assert (
        mended.worth_before[:2] < (1.0, 1.0) == mended.worth[:2] and mended.ending is CorrectionEnding.CONTENT
    )
    before, after = (
        align(true, read_domain(m.text()), in_order=True).errors for m in (made.model, mended.model)
    )
    assert len(after) < len(before) and set(after) <= set(before)


def test_the_correction_goes_on_from_the_construction_dialogue() -> None:
    knowing, made, walks = construction("logistics, an effect lost")
    mended = Corrector(knowing.model).correct(made, walks, 0)
    before, after = made.dialogues["drive-truck"].messages, mended.dialogues["drive-truck"].messages
    assert after[: len(before)] == before and len(after) == len(before) + 2
    assert after[-2].content.startswith("The model of the environment is wrong.")
    assert mended.dialogues["load-truck"] == made.dialogues["load-truck"]
    assert pickle.loads(pickle.dumps(mended)) == mended  # noqa: S301 (our own bytes)


def test_several_tasks_are_walked_and_their_scores_are_averaged() -> None:
    _, made, walks = construction("tyreworld, a precondition lost", (1, 2))
    whole = walks.review(made.model, ())
    first = replace(walks, tasks=walks.tasks[:1]).review(made.model, ())
    assert whole.remark == first.remark and whole.worth[0] == 1.0
    assert whole.worth != first.worth and whole.world_queries > first.world_queries


RIGHT, WRONG = (1.0, 1.0), (0.5, 1.0)


@pytest.mark.parametrize(
    ("shown", "walked", "opinion", "further"),
    [
        ([Found(RIGHT, met=frozenset(GRIPPERS))], 1, Opinion.CONTENT, 3.0),
        ([Found(RIGHT, met=frozenset(a)) for a in (GRIPPERS[:1], GRIPPERS[1:])], 2, Opinion.CONTENT, 3.0),
        ([Found(WRONG, "wrong")], 1, Opinion.OBJECTS, 0.0),
        ([Found(RIGHT), Found(WRONG, "wrong")], 2, Opinion.OBJECTS, 2 / 3),
        ([Found(RIGHT), Found(note="not translated"), Found(RIGHT), Found(RIGHT)], 4, Opinion.CONTENT, 3.0),
        ([Found(RIGHT), Found(RIGHT), Found(words="it is too large")], 3, Opinion.OBJECTS, 1.0),
    ],
    ids=["all met", "the rest met", "wrong", "wrong later", "without judgement", "not walked"],
)  # fmt: skip
def test_further_tasks_are_walked_in_until_every_action_was_exercised(
    shown: Sequence[Found], walked: int, opinion: Opinion, further: float
) -> None:
    _, made, walks = construction("grippers, an effect lost")
    told = iter(shown)
    walks = replace(walks, further=walks.tasks * 3, walk=lambda *_: replace(next(told), world_queries=1))
    review = walks.review(made.model, ())
    assert (review.world_queries, review.opinion) == (walked, opinion) and not list(told)
    assert review.worth[2] == pytest.approx(further)


@pytest.mark.slow
def test_the_correction_exercises_all_actions_of_a_household() -> None:
    """The two tasks that each model is walked in allow 13 of 22 at all."""
    world, tasks = "household", [feedback_task(n) for n in range(1, 11)]
    opened = [open_world(world, task) for task in tasks]
    problems = {o.task: read_texts(world, n).problem for o, n in zip(opened, tasks, strict=True)}
    knowing = Knowing(true_domain(world), None, problems)
    given = tuple(WorldTask(o, TaskTranslator(knowing.model, WorldTexts.of(o), 1)) for o in opened)
    walks = Walks(given[:2], 0, further=given[2:])
    review = walks.review(modelled(true_domain(world), brief_of(world)), ())
    assert review.opinion is Opinion.CONTENT and len(review.met) >= 21
    assert review.world_queries <= len(tasks) * (MAX_FURTHER + EXAMINED.most + EWConfig().most_queries)


@pytest.mark.slow
def test_a_language_model_that_does_not_listen_ends_with_the_best_model_and_a_reason() -> None:
    knowing, made, walks = construction("grippers, an effect lost")
    deaf = Knowing(knowing.domain, None, knowing.problems)
    ended = Corrector(deaf.model, patience=2).correct(made, walks, 0)
    assert ended.ending is CorrectionEnding.NO_PROGRESS and len(ended.remarks) == 2
    assert ended.note == "2 remarks made the model no better"
    assert ended.model.text() == made.model.text()
    short = Corrector(deaf.model, remarks=1).correct(made, walks, 0)
    assert short.ending is CorrectionEnding.REMARKS_SPENT and "more could be" in short.note


def test_a_correction_that_makes_it_worse_is_not_kept() -> None:
    knowing, made, walks = construction("grippers, an effect lost")
    worse = lacking(knowing.domain, "move", Part.PRECONDITION, "(at-robby ?r ?from)")
    harmful = Knowing(knowing.domain, worse, knowing.problems)
    ended = Corrector(harmful.model, patience=1).correct(made, walks, 0)
    assert ended.model == made.model and ended.worth == walks.review(made.model, ()).worth


def test_the_world_cannot_judge_what_it_has_no_problem_for_nor_walk_free_parameters() -> None:
    _, made, walks = construction("logistics, an effect lost")
    silent = ScriptedModel(lambda *_: Completion("", Finish.REFUSAL))
    task = replace(walks.tasks[0], problems=TaskTranslator(silent, WorldTexts.of(walks.tasks[0].world), 1))
    ended = Corrector(ScriptedModel([])).correct(made, replace(walks, tasks=(task,)), 0)
    assert ended.ending is CorrectionEnding.CANNOT_JUDGE and "refused to answer" in ended.note
    free = replace(made.model, brief=brief_of("logistics", fixed=False))
    review = walks.review(free, ())
    assert review.opinion is Opinion.CANNOT_JUDGE and "parameters are its own" in review.note
    assert review.world_queries == 0 and review.remark is None


def test_a_task_that_the_model_has_no_predicates_for_is_a_remark() -> None:
    action, literals = "fly-airplane", ("(location-is-airport ?from)", "(location-is-airport ?to)")
    poor = lacking(
        lacking(LOGISTICS, action, Part.PRECONDITION, literals[0]), action, Part.PRECONDITION, literals[1]
    )
    world = open_world("logistics")
    knowing = Knowing(poor, LOGISTICS, {world.task: read_texts("logistics", 1).problem})
    made = Constructor(knowing.model).construct(brief_of("logistics"), 0)
    assert made.model.predicate("location-is-airport") is None
    walks = Walks((WorldTask(world, TaskTranslator(knowing.model, WorldTexts.of(world), 1)),), seed=5)
    first = walks.review(made.model, ()).remark
    assert first is not None and world.task.strip() in first.words
    assert "predicate location-is-airport is not declared" in first.words and "airplane" in first.action
    mended = Corrector(knowing.model).correct(made, walks, 0)
    assert mended.ending is CorrectionEnding.CONTENT and mended.worth[:2] == (1.0, 1.0)
    assert len({remark.action for remark in mended.remarks}) == len(mended.remarks) <= 3


def test_an_action_that_is_not_written_is_what_the_world_asks_for_first() -> None:
    _, made, walks = construction("logistics, an effect lost")
    review = walks.review(replace(made.model, actions=made.model.actions[1:]), ())
    assert review.remark is not None and review.remark.action == "load-truck"
    assert "these actions have no effect" in review.remark.words and review.worth < (1.0,)
    assert walks.review(replace(made.model, actions=made.model.actions[2:]), ()).worth < review.worth


def test_a_model_of_which_little_is_written_is_finished_action_by_action() -> None:
    knowing, made, walks = construction("tyreworld, a precondition lost")
    bare = replace(made, model=replace(made.model, actions=made.model.actions[7:]))
    mended = Corrector(knowing.model).correct(bare, walks, 0)
    assert mended.ending is CorrectionEnding.CONTENT and mended.worth[:2] == (1.0, 1.0)
    assert len(mended.remarks) > Corrector.patience


def test_a_problem_that_is_wrong_is_others_and_the_model_is_left_alone() -> None:
    world = open_world("logistics")
    right = read_texts("logistics", 1).problem
    wrong = right.replace("(location-is-airport location1)", "")
    assert wrong != right
    knowing = Knowing(LOGISTICS, None, {world.task: wrong})

    def mending(messages, sample, seed):
        said = (
            knowing.reply(messages, sample, seed)
            if "write the whole problem again" not in messages[-1].content
            else ""
        )
        return said or f"```pddl\n{right}\n```"

    llm = ScriptedModel(mending)
    made = Constructor(llm).construct(brief_of("logistics"), 0)
    problems = TaskTranslator(llm, WorldTexts.of(world), 1)
    mended = Corrector(llm).correct(made, Walks((WorldTask(world, problems),), seed=5), 0)
    assert mended.ending is CorrectionEnding.CONTENT and len(mended.remarks) == 2
    assert mended.model.text() == made.model.text()
    assert "(location-is-airport location1)" in (problems.problem(made.model).problem or "")


def test_a_problem_that_cannot_be_used_is_sent_back_once_and_asked_for_again_when_predicates_change() -> None:
    world, right = open_world("logistics"), read_texts("logistics", 1).problem
    llm = ScriptedModel(["no problem", f"```pddl\n{right}\n```", "none", "none again"])
    model = modelled(LOGISTICS, brief_of("logistics"))
    problems = TaskTranslator(llm, WorldTexts.of(world), 1)
    assert problems.problem(model).problem is not None and llm.requests == 2
    assert problems.problem(replace(model, actions=())) == problems.problem(model) and llm.requests == 2
    other = replace(model, predicates=model.predicates[:-1])
    assert problems.problem(other).problem is None and llm.requests == 4


REMARKS = """## drive-truck
- The truck is no longer where it came from.

## load-truck

- Nothing else.
"""


def test_a_persons_remarks_are_made_one_after_another() -> None:
    knowing, made, _ = construction("logistics, an effect lost")
    source = read_remarks(REMARKS, LOGISTICS.actions)
    mended = Corrector(knowing.model).correct(made, source, 0)
    assert mended.ending is CorrectionEnding.CONTENT and mended.remarks == source.remarks
    assert "no longer where it came from" in mended.dialogues["drive-truck"].messages[-2].content
    assert align(LOGISTICS, read_domain(mended.model.text())).errors == ()


def test_a_reply_may_revise_other_actions_too() -> None:
    _, made, _ = construction("logistics, an effect lost")
    right = Knowing(LOGISTICS)
    said = right.reply(made.dialogues["drive-truck"].messages[:2], 0, 0)
    said = f"### Action: drive-truck\n{said[: said.index('### New')]}### New predicates\nnone"
    told = read_remarks("# load-truck\nIt is drive-truck that is wrong.", LOGISTICS.actions)
    mended = Corrector(ScriptedModel([said])).correct(made, told, 0)
    assert align(LOGISTICS, read_domain(mended.model.text())).errors == ()


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("The truck is wrong.", "line 1, 'The truck is wrong.', stands under no heading"),
        ("\n## drive-trucks\n- x", "line 2: there is no action drive-trucks; did you mean drive-truck?"),
        ("## swim\n- x", "the actions are load-truck, unload-truck"),
    ],
)
def test_remarks_that_cannot_be_read_are_named_by_line(text: str, fault: str) -> None:
    with pytest.raises(UnreadableRemarks) as caught:
        read_remarks(text, LOGISTICS.actions)
    assert fault in str(caught.value)


def plan_of(domain: Domain, problem: str):
    model = modelled(domain, brief_of("logistics"))
    steps = ("(load-truck p1 t a)", "(drive-truck t a b c)", "(unload-truck p1 t b)")
    return model, SuggestedPlan(steps, GivenProblem(problem))


TASK = """(define (problem t) (:domain logistics)
  (:objects p1 - package t - truck a b - location c - city)
  (:init (package-at p1 a) (truck-at t a) (location-in-city a c) (location-in-city b c))
  (:goal (package-at p1 b)))"""


def test_a_plan_that_works_says_nothing_against_the_model() -> None:
    model, source = plan_of(LOGISTICS, TASK)
    assert source.review(model, ()).opinion is Opinion.CONTENT


def test_a_plan_shows_the_first_step_that_the_model_refuses_and_the_actions_up_to_it() -> None:
    lost = lacking(LOGISTICS, "load-truck", Part.EFFECT, "(package-in-truck ?p ?t)")
    model, source = plan_of(lost, TASK)
    review = source.review(model, ())
    assert review.opinion is Opinion.OBJECTS and review.worth == (2.0,) and review.remark is not None
    assert review.remark.action == "unload-truck"
    assert "does not allow step 3, (unload-truck p1 t b)" in review.remark.words
    assert "- (package-in-truck p1 t)" in review.remark.words
    assert (
        "load-truck: A package is loaded" in review.remark.words and "fly-airplane" not in review.remark.words
    )


def test_a_plan_that_runs_but_misses_the_goal_says_which_part() -> None:
    lost = lacking(LOGISTICS, "unload-truck", Part.EFFECT, "(package-at ?p ?l)")
    model, source = plan_of(lost, TASK)
    review = source.review(model, ())
    assert review.remark is not None and review.worth == (3.0,)
    assert "goals are not reached:\n- (package-at p1 b)" in review.remark.words


def test_a_plan_corrects_a_model() -> None:
    lost = lacking(LOGISTICS, "unload-truck", Part.EFFECT, "(package-at ?p ?l)")
    knowing = Knowing(lost, LOGISTICS)
    made = Constructor(knowing.model).construct(brief_of("logistics"), 0)
    _, source = plan_of(LOGISTICS, TASK)
    mended = Corrector(knowing.model).correct(made, source, 0)
    assert mended.ending is CorrectionEnding.CONTENT and len(mended.remarks) == 1


def test_a_plan_with_a_fault_of_its_own_is_not_held_against_the_model() -> None:
    model, source = plan_of(LOGISTICS, TASK)
    for steps in (("(swim t)",), ("(load-truck p1 t nowhere)",), ()):
        review = replace(source, plan=steps).review(model, ())
        assert review.opinion is Opinion.CANNOT_JUDGE and "the plan itself is at fault" in review.note


def test_a_remark_about_an_action_without_dialogue_starts_one() -> None:
    knowing, made, _ = construction("logistics, an effect lost")
    bare = replace(made, dialogues={})
    source = read_remarks(REMARKS, LOGISTICS.actions)
    mended = Corrector(knowing.model).correct(bare, source, 0)
    roles = [message.role for message in mended.dialogues["drive-truck"].messages]
    assert roles == ["system", "user", "assistant"] and mended.remarks[0] == Remark(
        "drive-truck", "- The truck is no longer where it came from."
    )


@dataclass
class Grumbler:
    """Says these words one after another, of models that are all worth the same; then it is content."""

    words: tuple[str, ...]

    def review(self, model: WorldModel, made: Sequence[Remark]) -> Review:
        if len(made) == len(self.words):
            return Review(Opinion.CONTENT, (0.0,))
        return Review(Opinion.OBJECTS, (0.0,), Remark("load-truck", self.words[len(made)]))


@pytest.mark.parametrize(
    ("words", "ending", "made"),
    [
        ("abcdef", CorrectionEnding.CONTENT, 6),
        ("aaaaaa", CorrectionEnding.NO_PROGRESS, 2),
        ("abbcde", CorrectionEnding.CONTENT, 6),
        ("abbacd", CorrectionEnding.NO_PROGRESS, 3),
    ],
)
def test_what_was_answered_is_progress_and_what_has_to_be_said_again_is_none(
    words: str, ending: CorrectionEnding, made: int
) -> None:
    knowing, construction_, _ = construction("logistics, an effect lost")
    corrector = Corrector(knowing.model, patience=2)
    ended = corrector.correct(construction_, Grumbler(tuple(words)), 0)
    assert ended.ending is ending and len(ended.remarks) == made
