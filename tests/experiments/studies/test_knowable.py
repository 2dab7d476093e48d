"""What no repair can know is proved by a twin: the same in the broken words, and other walks in the world."""

from dataclasses import replace

import pytest

from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.language.terms import Part, tree_of
from envs.pddl.mutation.faults import BreakKind
from envs.pddl.planning.planner import Planner
from envs.pddl.simulation.compile import compile_task
from ew.counterexample.exposure import Kind, first_difference
from experiments.studies.repair import study as repairing
from experiments.studies.repair.cases import PlanFate, break_world
from experiments.studies.repair.knowable import differ_where_nothing_runs, nothing_left_to_see, twin
from experiments.studies.repair.report import Restoring, is_restored
from experiments.studies.repair.study import RepairUnit
from experiments.studies.repair.tasks import TaskSplit, true_problem

#: Worlds whose broken domain has lost what distinguished objects or states, by kind and seed.
LOST = (
    ("miconic", BreakKind.PREDICATE, 0),
    ("childsnack", BreakKind.PREDICATE, 0),
    ("depot", BreakKind.PREDICATE, 0),
    ("barman", BreakKind.PREDICATE, 0),
)
PLANNER = Planner(wall_s=30)
UNIT = RepairUnit("childsnack", 1, BreakKind.PREDICATE, 1, 1, 1, 50, 300, 5.0, 0, None, 30.0)


@pytest.mark.parametrize(("env", "kind", "seed"), LOST)
def test_a_twin_reads_the_same_and_allows_another_walk(env, kind, seed):
    case = break_world(env, 1, kind, 1, seed)
    original = true_problem(env, 2)
    other = twin(original, case.given_of)
    assert other is not None and other.objects == original.objects
    assert case.given_of(original).init == case.given_of(other).init
    assert first_difference(compile_task(original), compile_task(other)).kind is Kind.EXECUTABLE


@pytest.mark.parametrize("kind", [BreakKind.REMOVED, BreakKind.ACTION, BreakKind.TYPE])
@pytest.mark.parametrize("env", ["driverlog", "depot"])
def test_nothing_is_unknowable_where_the_problem_lost_nothing(env, kind):
    case = break_world(env, 1, kind, 1, 0)
    assert twin(true_problem(env, 2), case.given_of) is None


def without(domain, name):
    """What is given of a problem where a predicate is gone from everything."""
    words = read_domain(domain)
    return lambda problem: replace(
        problem, domain=words, init=frozenset(atom for atom in problem.init if atom[0] != name)
    )


def test_what_others_can_say_is_knowable():
    # a block is clear if none is on it: no state, and no mapping that keeps `on`, has another that is clear
    domain = "(define (domain d) (:predicates (on ?x ?y) (ontable ?x) (handempty) (holding ?x)))"
    assert twin(true_problem("blocksworld", 2), without(domain, "clear")) is None


PUSH = """(define (domain two) (:predicates (on ?x) (red ?x))
  (:action push :parameters (?x) :precondition {} :effect (on ?x)))"""
TWO = "(define (problem p) (:domain two) (:objects a b) (:init (red a)) (:goal (on a)))"


@pytest.mark.parametrize(("needed", "proved"), [("(and)", False), ("(red ?x)", True)])
def test_a_twin_is_one_only_if_a_walk_depends_on_what_was_lost(needed, proved):
    problem = read_problem(TWO, read_domain(PUSH.format(needed)))
    given = without("(define (domain two) (:predicates (on ?x)))", "red")
    assert (twin(problem, given) is not None) == proved


def test_where_a_lift_is_differs_between_states_of_one_task():
    domain = """(define (domain lift) (:predicates (at ?f) (next ?f ?g))
      (:action up :parameters (?f ?g) :precondition (and (at ?f) (next ?f ?g))
       :effect (and (at ?g) (not (at ?f)))))"""
    text = """(define (problem p) (:domain lift) (:objects a b c)
      (:init (at a) (next a b) (next b c)) (:goal (at c)))"""
    problem = read_problem(text, read_domain(domain))
    other = twin(problem, without("(define (domain lift) (:predicates (next ?f ?g)))", "at"))
    assert other is not None and other.init == problem.init - {("at", "a")} | {("at", "b")}


@pytest.mark.parametrize(("fate", "proved"), [
    (PlanFate.FAILS, True),  # beside the true rules in the task seen, which show no more
    (PlanFate.NOT_FOUND, False),  # a limit says nothing of the model
    (PlanFate.WORKS, False),
])  # fmt: skip
def test_what_only_goals_show_is_not_knowable_where_the_tasks_seen_show_no_more(fate, proved):
    case = break_world("blocksworld", 1, BreakKind.REMOVED, 1, 0)
    split, true = TaskSplit((1,), (2,)), true_problem("blocksworld", 1)
    judged = [{"task": 2, "ew": 1.0, "plan": fate, "true_plan": PlanFate.WORKS}]
    assert bool(repairing.why_unknowable(case, split, judged, [true], PLANNER)) == proved


def test_a_model_with_a_difference_left_has_something_left_to_see():
    problem = true_problem("blocksworld", 1)
    task = compile_task(problem)
    other = compile_task(replace(problem, init=frozenset(sorted(problem.init)[1:])))
    assert nothing_left_to_see(task, task) and not nothing_left_to_see(task, other)
    assert not nothing_left_to_see(task, None)


#: In household's f02 nothing can be stacked, though relaxed plans stack.
STACK = "stack-objects"


def changed(problem, name, part, to):
    domain = read_domain(tree_of(problem.domain).replaced(name, part, to).render())
    return replace(problem, domain=domain)


@pytest.mark.parametrize(("name", "part", "proved"), [
    (STACK, Part.EFFECT, True),  # what it does is never seen
    (STACK, Part.PRECONDITION, False),  # without conditions the model runs it, and the world refuses
    ("slice-an-object", Part.EFFECT, False),
])  # fmt: skip
def test_what_differs_in_actions_that_never_run_cannot_be_known(name, part, proved):
    true = true_problem("household", "f02")
    model = changed(true, name, part, ("and",))
    assert differ_where_nothing_runs(true, model, PLANNER) == proved
    begun = replace(model, init=frozenset(sorted(model.init)[1:]))
    assert not differ_where_nothing_runs(true, begun, PLANNER)
    assert not differ_where_nothing_runs(true, true, PLANNER), "there is nothing that cannot be known"


@pytest.mark.parametrize("guessed", [False, True])
def test_a_model_that_needs_other_initial_atoms_proves_nothing(guessed):
    case = break_world("blocksworld", 1, BreakKind.REMOVED, 1, 0)
    split, true = TaskSplit((1,), (2,)), true_problem("blocksworld", 1)
    found = replace(true, init=true.init | {("holding", min(true.objects))}) if guessed else true
    why = repairing.why_unknowable(case, split, [{"task": 2, "ew": 0.5}], [found], PLANNER)
    assert bool(why) != guessed
    assert not repairing.why_unknowable(case, split, [{"task": 2, "ew": 0.5}], [], PLANNER)


def test_the_study_says_why_and_gives_the_share_of_the_others():
    found = repairing.work(UNIT)
    assert found["unknowable"].startswith("another task than ") and not is_restored(found)
    restoring = Restoring([found])
    cell = restoring.cells[0]
    assert restoring.restored(cell).n == 1 and restoring.knowable(cell).n == 0
