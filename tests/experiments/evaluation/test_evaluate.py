"""The evaluation of candidates: every kind of failure gets its rating and its words, never an exception."""

from __future__ import annotations

import pickle
from dataclasses import replace

import pytest
from gripper_answers import FIRST_DOMAINS, MENDED, problem_text

from agents.draft import DomainDraft
from agents.llm.interface import Completion, Message
from agents.proposal import Proposal
from agents.refine import read_domain_reply
from agents.texts import WorldTexts
from envs.pddl.planning.planner import Planner, PlannerMissing
from envs.pddl.simulation.grounding import Limits
from envs.world import open_world
from ew.counterexample.explained import MAX_FURTHER
from ew.score.config import EstimatorName
from ew.score.rating import Outcome
from ew.score.score import EWConfig
from experiments.evaluation.evaluate import CandidateEvaluation, Evaluator, evaluate_root
from experiments.evaluation.judge import Judge, MachineFault
from experiments.runs.records import NodeRecord

JUDGE = Judge(EWConfig(walks=40, t_max=5), Planner(wall_s=20))
EVALUATOR = Evaluator("grippers", 1, 0, JUDGE)


@pytest.fixture(scope="module")
def root() -> Proposal:
    texts = WorldTexts.of(open_world("grippers", 1))
    draft = DomainDraft.empty("grippers", texts.types, texts.actions)
    return Proposal(problem_text(1).replace("gripper-strips", "grippers"), draft)


def child(root: Proposal, reply: str) -> Proposal:
    return read_domain_reply(root, (Message("user", "write"),), Completion(reply))


def test_the_right_domain_is_solved(root: Proposal) -> None:
    found = EVALUATOR(child(root, MENDED))
    assert found.solved and found.score.ew == 1.0 and found.plan == "solved" and found.failure == "Solved"
    assert [count.action for count in found.score.actions] == ["drop", "move", "pick"]
    assert found.score.not_exercised == ()


def test_a_careless_domain_is_walked_and_told_a_disagreement(root: Proposal) -> None:
    found = EVALUATOR(child(root, FIRST_DOMAINS[0]))
    assert found.rating.outcome is Outcome.WALKED and 0 < found.score.ew < 1 and found.expandable
    assert found.failure == "Disagreement" and "Next action: (pick" in found.feedback
    assert found.score.forward == 1.0 > found.score.backward


@pytest.mark.parametrize("estimator", ["prefix", "survival"])
def test_every_estimator_rates_the_right_domain_best_and_shows_what_is_wrong_with_another(
    root: Proposal, estimator: EstimatorName
) -> None:
    judge = Judge(EWConfig(walks=20, t_max=5, estimator=estimator), Planner(wall_s=20))
    evaluator = Evaluator("grippers", 1, 0, judge)
    right, careless = (evaluator(child(root, reply)) for reply in (MENDED, FIRST_DOMAINS[0]))
    assert right.solved and right.score.ew == 1.0
    assert careless.score.forward == 1.0 > (careless.score.backward or 0.0) > 0.0
    assert careless.failure == "Disagreement" and "Next action: (pick" in careless.feedback


def test_the_shortest_feedback_ends_with_the_cause_and_its_queries_are_counted(root: Proposal) -> None:
    candidate = child(root, edited('"(free ?r ?g)"], [', "], [").replace(", ], [", "], ["))
    paper = EVALUATOR(candidate)
    short = replace(EVALUATOR, judge=replace(JUDGE, feedback="shortest"))(candidate)
    assert (paper.failure, short.failure) == ("Disagreement", "Explained") and paper.rating == short.rating
    assert short.feedback.count("\n(") <= paper.feedback.count("\n(")
    assert "- in the environment: refused\n- in your model: executed" in short.feedback
    assert "\n- pick: executed by both" in short.feedback and "\n- move: executed" not in short.feedback
    head, _, causes = short.feedback.partition("Single changes")
    counts, cause = causes.splitlines()[1:3]
    assert (
        head and counts.startswith("Explains ") and counts.endswith("contradicts nothing that was observed:")
    )
    assert cause.startswith("- pick: add the precondition (free ?r ?g)")
    assert short.score.world_queries > paper.score.world_queries
    assert replace(short.score, world_queries=0) == replace(paper.score, world_queries=0)


@pytest.mark.slow
def test_the_shortest_feedback_also_follows_a_plan_that_fails_beyond_the_walks(root: Proposal) -> None:
    far = replace(JUDGE, walks=EWConfig(walks=2, t_max=1, longest=60), feedback="shortest")
    forgetful = edited('"(free ?r ?g)"], [', "], [").replace(", ], [", "], [")
    found = [replace(EVALUATOR, judge=far, seed=seed)(child(root, forgetful)) for seed in range(6)]
    beyond = [f for f in found if f.score.ew == 1.0 and f.failure == "Explained"]
    assert beyond and all(f.plan and not f.solved for f in beyond)
    assert all(f.score.world_queries > 10 for f in beyond)


def edited(old: str, new: str) -> str:
    assert old in MENDED
    return MENDED.replace(old, new)


@pytest.mark.parametrize(
    ("reply", "outcome", "words"),
    [
        ("no code at all", Outcome.NO_EDIT, "does not change the domain"),
        ("```python\nmodify_action('fly', [], ['(free ?r ?g)'])\n```", Outcome.REFUSED_EDIT, "fly"),
        (FIRST_DOMAINS[2], Outcome.INSANE_DOMAIN, "drop"),
        (edited('"(free ?r ?g)"]', '"(fre ?r ?g)"]'), Outcome.INVALID_DOMAIN, "fre"),
        (
            edited('["(at-robby ?r ?from)"]', '["(at-robby ?r ?from ?to)"]'),
            Outcome.INVALID_DOMAIN,
            "at-robby",
        ),
    ],
)
def test_what_does_not_check_is_rated_by_its_kind(
    root: Proposal, reply: str, outcome: Outcome, words: str
) -> None:
    found = EVALUATOR(child(root, reply))
    assert found.rating.outcome is outcome and words in found.feedback and found.score.ew is None


def test_a_model_in_which_nothing_can_be_done_is_told_what_can(root: Proposal) -> None:
    impossible = [line.replace('["(', '["(not (= ?r ?r))", "(', 1) for line in MENDED.splitlines()]
    reply = "\n".join(
        line if "add_or" in line else new for line, new in zip(MENDED.splitlines(), impossible, strict=True)
    )
    found = EVALUATOR(child(root, reply))
    assert found.rating.outcome is Outcome.NO_INITIAL_ACTION and "(move" in found.feedback


def test_a_model_that_explodes_is_rated_as_such(root: Proposal) -> None:
    tight = replace(EVALUATOR, judge=replace(JUDGE, limits=Limits(max_groundings=10)))
    assert tight(child(root, MENDED)).rating.outcome is Outcome.EXPLODED


def test_ew_one_with_a_wrong_goal_is_not_solved(root: Proposal) -> None:
    head, _, goal = root.problem.partition("(:goal")
    assert "(at ball1 room3)" in goal and "(at ball3 room1)" in goal
    wrong = replace(root, problem=f"{head}(:goal (at ball1 room3)))")
    found = EVALUATOR(child(wrong, MENDED))
    assert found.rating.outcome is Outcome.WALKED and found.score.ew == 1.0
    assert found.failure == "PlanRejected" and "goal is not reached" in found.feedback


def test_ew_one_without_a_plan_says_why(root: Proposal) -> None:
    no_goal = replace(
        root, problem=root.problem.replace("(:goal (and", "(:goal (and (carry robot1 ball1 lgripper2)")
    )
    found = EVALUATOR(child(no_goal, MENDED))
    assert found.plan == "unsolvable_proved" and found.failure == "NoPlan" and not found.solved


def test_a_missing_planner_is_nobodys_score(root: Proposal) -> None:
    broken = replace(EVALUATOR, judge=replace(JUDGE, planner=Planner("nowhere")))
    with pytest.raises(PlannerMissing):
        broken(child(root, MENDED))


def test_a_killed_planner_is_nobodys_score(root: Proposal, tmp_path) -> None:
    script = tmp_path / "planner.py"
    script.write_text("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n", encoding="utf-8")
    broken = replace(EVALUATOR, judge=replace(JUDGE, planner=Planner(str(script))))
    with pytest.raises(MachineFault, match="killed"):
        broken(child(root, MENDED))


def test_the_same_candidate_is_judged_the_same_elsewhere(root: Proposal) -> None:
    candidate = child(root, FIRST_DOMAINS[0])
    one = EVALUATOR(candidate)
    other = pickle.loads(pickle.dumps(EVALUATOR))(pickle.loads(pickle.dumps(candidate)))  # noqa: S301
    assert replace(one, wall_s=0.0) == replace(other, wall_s=0.0)


def test_another_seed_walks_other_walks(root: Proposal) -> None:
    candidate = child(root, FIRST_DOMAINS[0])
    scores = {replace(EVALUATOR, seed=seed)(candidate).score for seed in range(4)}
    assert len(scores) > 1


def test_a_root_is_of_no_use_or_waits_for_a_domain(root: Proposal) -> None:
    assert evaluate_root(root).expandable
    lost = evaluate_root(replace(root, problem=None, fault="the reply holds no problem"))
    assert not lost.expandable and lost.rating.outcome is Outcome.NO_PROBLEM


def test_an_evaluation_survives_its_record(root: Proposal) -> None:
    for reply in (*FIRST_DOMAINS, MENDED):
        found = EVALUATOR(child(root, reply))
        record = NodeRecord(
            "u", "1.1", "k", found.rating.outcome.name, found.score, found.plan, found.failure,
            found.feedback, None, None, None, found.wall_s, task=found.task, story=found.story,
        )  # fmt: skip
        assert CandidateEvaluation.of_record(NodeRecord.from_json(record.to_json())) == found


def test_looking_further_out_than_the_score_is_paid_for_within_its_limit(root: Proposal) -> None:
    assert root.problem is not None
    aimless = f"{root.problem.partition('(:goal')[0]}(:goal (free robot1 lgripper1)))"
    right, wrong = (EVALUATOR(child(replace(root, problem=p), MENDED)) for p in (root.problem, aimless))
    assert right.score.ew == wrong.score.ew == 1.0 and right.solved and not wrong.solved
    further = wrong.score.world_queries - right.score.world_queries
    assert 0 < further <= MAX_FURTHER
