"""Every failure has its words: complete, deterministic, and silent about the world's reasons."""

import pickle

import pytest
from graph_worlds import GraphWorld

from envs.pddl.language.issues import Code, Diagnosis, Issue, Severity
from envs.pddl.planning.planner import PlanOutcome
from ew.counterexample.agreement import Agreement, GoalAgreement, SchemaAgreement
from ew.counterexample.causes import Causes
from ew.counterexample.disagreement import Direction, Disagreement
from ew.counterexample.explanations import Change, Explanation
from ew.counterexample.feedback import (
    EditsRefused,
    Explained,
    Exploded,
    Failure,
    Faults,
    Incorrect,
    InsaneDomain,
    NoEdit,
    NoInitialAction,
    NoProblem,
    PlanRejected,
    Repeated,
    Solved,
    render_failure,
)
from ew.counterexample.no_plan import NoPlan, NoVerdict, no_plan
from ew.counterexample.shrink import Shrunk

WALK = ("(move r1 a b)", "(pick r1 ball b)")


def issue(line: int) -> Issue:
    return Issue(Severity.ERROR, Code.ARITY, f"wrong {line}", f"mend {line}", "domain", line, 3, "  (at ?x)")


SHRUNK = Shrunk(
    Disagreement(Direction.BACKWARD, WALK, "r1 is at b."), removed=3, world_queries=9, minimal=True
)
CAUSE = Explanation(Change.ADD_PRECONDITION, "pick", "(free ?g)", 4, 0)

#: What the planner says of a model itself.
TOLD = [PlanOutcome.UNSOLVABLE_PROVED, PlanOutcome.INVALID_INPUT, PlanOutcome.UNSUPPORTED]

EXAMPLES = [
    NoProblem("object `ball7` is missing"),
    NoEdit("the reply holds no code block"),
    EditsRefused(("unknown action `mvoe`; did you mean `move`?", "not a literal")),
    InsaneDomain(("move", "pick")),
    Faults(Diagnosis((issue(4),))),
    Exploded("action `pick`: 10000000 operators, the limit is 100000"),
    NoInitialAction("r1 is at a.", "(move r1 a b)"),
    Disagreement(Direction.FORWARD, WALK, "r1 is at b."),
    SHRUNK,
    Explained(SHRUNK, 7, (SchemaAgreement("pick", both=2, only_model=4),), Causes(4, (CAUSE,))),
    *map(NoPlan, TOLD),
    PlanRejected(WALK, 1, "r1 is at b."),
    Incorrect(),
    Repeated(SHRUNK),
    Solved(WALK),
]


def test_every_kind_of_failure_is_among_the_examples():
    assert {type(e) for e in EXAMPLES} == set(Failure.__subclasses__())


def test_of_the_planners_outcomes_exactly_its_verdicts_have_words_each_its_own():
    for outcome in PlanOutcome:
        if outcome in TOLD:
            assert outcome.judges
        else:
            assert outcome.judges == (outcome is PlanOutcome.SOLVED)
            with pytest.raises(ValueError, match="says nothing about a model"):
                NoPlan(outcome)
    words = [render_failure(NoPlan(outcome)) for outcome in TOLD]
    assert len(set(words)) == len(TOLD)
    assert not any(word in text for text in words for word in ("time", "memory", "limit", "search"))
    assert not isinstance(NoVerdict(PlanOutcome.TIMEOUT), Failure)


@pytest.mark.parametrize("failure", EXAMPLES, ids=lambda f: type(f).__name__)
def test_words_hold_all_that_the_record_holds(failure):
    text = render_failure(failure)
    assert text == render_failure(pickle.loads(pickle.dumps(failure)))  # noqa: S301 (our own bytes)
    assert text == text.strip() and "\n\n\n" not in text
    assert text.startswith("Correct." if isinstance(failure, Solved) else "Incorrect.")
    for name, value in vars(failure).items():
        values = value if isinstance(value, tuple) else (value,)
        if (
            isinstance(value, str | tuple)
            and name not in ("direction", "diagnosis", "outcome")
            and not isinstance(failure, Solved)
        ):
            assert all(v in text for v in values if isinstance(v, str))


def test_a_forward_disagreement_reads_so():
    assert render_failure(Disagreement(Direction.FORWARD, WALK, "r1 is at b.\nball is at b.")) == (
        "Incorrect. Your model and the environment disagree. Random actions were sampled in the environment, "
        "which executes all of them. Your model does not execute the last one.\n\n"
        "Executed one after another from the initial state, in your model and the environment:\n"
        "(move r1 a b)\n\n"
        "Next action: (pick r1 ball b)\n\n"
        "State of the environment before this action:\n"
        "r1 is at b.\nball is at b.\n\n"
        "Result: your model refuses (pick r1 ball b). Expected: (pick r1 ball b) is executable at this "
        "point, as it is in the environment. In your model its precondition does not hold here: the "
        "precondition, or what came before, is wrong."
    )


def test_a_backward_disagreement_at_the_start_reads_so():
    assert render_failure(Disagreement(Direction.BACKWARD, WALK[1:], "")) == (
        "Incorrect. Your model and the environment disagree. Random actions were sampled in your model, "
        "which executes all of them. The environment does not execute the last one.\n\n"
        "No action was executed before: this is the initial state.\n\n"
        "Next action: (pick r1 ball b)\n\n"
        "State of the environment before this action:\n"
        "(nothing to report)\n\n"
        "Result: the environment refuses (pick r1 ball b). Expected: (pick r1 ball b) is not executable at "
        "this point, as in the environment. In your model its precondition holds here: the precondition, or "
        "what came before, is wrong."
    )


def test_issues_are_rendered_as_the_user_sees_them_and_many_are_counted():
    many = Diagnosis(tuple(issue(i) for i in range(1, 26)))
    text = render_failure(Faults(many))
    assert many.issues[19].render() in text
    assert "wrong 21" not in text
    assert text.endswith("(5 more issues are not shown.)")


def test_a_long_walk_loses_its_middle_only():
    walk = tuple(f"(step s{i})" for i in range(200))
    text = render_failure(Disagreement(Direction.FORWARD, walk, "far away"))
    assert "(step s19)\n... (79 more actions) ...\n(step s99)\n" in text
    assert "(step s198)" in text


def test_a_plan_that_misses_the_goal_is_not_called_refused():
    text = render_failure(PlanRejected(WALK, 2, "r1 holds ball."))
    assert "refuses" not in text and "goal is not reached" in text


def test_an_empty_plan_is_called_empty():
    assert "The plan is empty" in render_failure(PlanRejected((), 0, "s"))


def test_the_first_step_is_told_from_what_the_world_executes():
    world = GraphWorld({0: {"(b)": 1, "(a)": 1}})
    assert NoInitialAction.seen_in(world) == NoInitialAction("You are at place 0.", "(a)")
    assert NoInitialAction.seen_in(GraphWorld({})).executable is None


def test_a_rejected_plan_is_told_from_the_world_s_verdict():
    world = GraphWorld({0: {"(a)": 1}}, goal=1)
    plan = ("(a)", "(a)", "(a)")
    found = PlanRejected.seen_in(world, plan, world.verify(plan))
    assert found == PlanRejected(plan, 1, "You are at place 1.")
    assert "step 2 of 3" in render_failure(found)


def test_a_shrunk_disagreement_tells_the_operator_s_status_on_both_sides():
    walk = ("(move r1 a b)", "(move r1 b c)", "(pick r1 ball c)")
    found = Disagreement(Direction.FORWARD, walk, "r1 is at c.")
    text = render_failure(Shrunk(found, removed=4, world_queries=12, minimal=True))
    assert "- in the environment: executed\n- in your model: refused" in text
    assert "None of these actions can be left out" in text
    assert "None of these" not in render_failure(Shrunk(found, 4, 12, minimal=False))


def test_an_explained_disagreement_ends_with_what_differs_and_what_would_mend_it():
    text = render_failure(EXAMPLES[9])
    assert text.startswith(render_failure(SHRUNK))
    assert text.removeprefix(render_failure(SHRUNK)) == (
        "\n\nAll actions were compared in 7 states that both reach. Treated differently are:\n"
        "- pick: executed by both 2 times, only by the environment 0 times, only by your model 4 times"
        "\n\nSingle changes of your model, each tried on all that was observed (4 differences, each counted "
        "once). These counts are no proofs. Changes under one count are equals: nothing that was seen tells "
        "them apart, and their order says nothing.\n"
        "Explains 4 of 4, contradicts nothing that was observed:\n"
        "- pick: add the precondition (free ?g)"
    )
    assert render_failure(Explained(SHRUNK, 7, ())) == render_failure(SHRUNK)


def test_only_actions_that_differ_are_told_and_causes_without_contradiction_come_before_others():
    actions = (SchemaAgreement("move", both=9), SchemaAgreement("pick", both=2, only_model=4))
    doubtful = Explanation(Change.DROP_PRECONDITION, "move", "(at ?r)", 9, 1)
    found = Agreement(actions, GoalAgreement(), (doubtful, CAUSE), 7, 14, differences=9)
    assert Explained.by(SHRUNK, found) == Explained(SHRUNK, 7, actions[1:], Causes(9, (doubtful, CAUSE)))
    assert "(at ?r)" not in render_failure(Explained.by(SHRUNK, found))
    unsure = Agreement(actions, GoalAgreement(), (doubtful,), 7, 14, differences=9)
    assert "Explains 9 of 9, contradicts 1 agreements:" in render_failure(Explained.by(SHRUNK, unsure))


def test_what_the_planner_says_of_the_model_is_its_failure_and_all_else_is_nobodys():
    for outcome in set(PlanOutcome) - {PlanOutcome.SOLVED}:
        assert no_plan(outcome) == (NoPlan if outcome in TOLD else NoVerdict)(outcome)
