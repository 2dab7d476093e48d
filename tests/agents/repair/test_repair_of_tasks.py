"""Evidence from several tasks: all of them show what each shows, and one shows what another cannot."""

from __future__ import annotations

from itertools import pairwise, permutations

import numpy as np
import pytest
from walked_worlds import broken, walked

from agents.repair.candidate import InitialEdit
from agents.repair.examples import TrainingExamples
from agents.repair.model import Model
from agents.repair.operators import ExampleMaker
from agents.repair.repair import repair
from agents.repair.repaired import Repaired, RepairVerdict
from agents.repair.search import Repairs
from agents.repair.session import RepairConfig, RepairTask
from envs.pddl.language.domain import Problem, read_domain, read_problem
from envs.pddl.language.terms import terms, without_terms
from envs.pddl.simulation.compile import compile_task
from envs.source import read_texts
from envs.world import open_world
from ew.score.config import EWConfig
from ew.score.score import ew_score
from ew.walks.adapter import transitions_of

NOTHING = frozenset()
WORLDS = ["grippers", "depot", "dimhollow", "miconic"]


def of_tasks(world: str, tasks: tuple[int, ...], faults: int = 3) -> tuple[Repairs, list[Repairs]]:
    """A broken model in all of some tasks, and in each alone."""
    found = [walked(world, task=task) for task in tasks]
    given = [broken(own.problem, faults, 1)[0] for own in found]
    model = Model.of(*given)
    makers = [ExampleMaker(t, own.task.operators) for t, own in zip(model.tasks, found, strict=True)]
    merged = TrainingExamples.of_tasks(makers, [own.seen for own in found], [{}] * len(found))
    return Repairs(model, merged), [own.repairs(problem) for own, problem in zip(found, given, strict=True)]


@pytest.mark.parametrize("world", WORLDS)
def test_what_all_tasks_show_is_what_each_shows(world: str) -> None:
    together, alone = of_tasks(world, (1, 2, 3))
    roots = [*together.seen.walks.roots, together.seen.walks.nodes]
    for edits in (NOTHING, *list(together.neighbours(together.candidate(NOTHING)))[:5]):
        if any(isinstance(edit, InitialEdit) for edit in edits):
            continue  # it is one task's
        held = together.goal_held(edits)
        for number, own in enumerate(alone):
            assert np.array_equal(held[roots[number] : roots[number + 1]], own.goal_held(edits))
        for action in together.model.actions.values():
            parts = (*action.preconditions, *action.fixed)
            now = together.satisfied(action, parts, together.tables(edits))
            each = [own.satisfied(own.model.actions[action.name], parts, own.tables(edits)) for own in alone]
            assert np.array_equal(now, np.concatenate(each))


@pytest.mark.parametrize("world", WORLDS)
def test_states_on_the_ways_to_some_nodes_are_those_on_all_walks(world: str) -> None:
    together, _ = of_tasks(world, (1, 2))
    nodes = range(0, together.seen.walks.nodes, 7)
    seen, numbers = together.seen.towards(nodes)
    few = Repairs(together.model, seen)
    assert few.seen.walks.nodes < together.seen.walks.nodes
    rows = [numbers[node] for node in nodes]
    for edits in (NOTHING, *list(together.neighbours(together.candidate(NOTHING)))[:20]):
        assert np.array_equal(few.goal_held(edits)[rows], together.goal_held(edits)[list(nodes)])
        for predicate, table in few.tables(edits).items():
            assert np.array_equal(table[rows], together.tables(edits)[predicate][list(nodes)])
    path = together.seen.walks.path(nodes[-1])
    assert [step.arguments for step in few.seen.walks.path(rows[-1])] == [step.arguments for step in path]


@pytest.mark.parametrize("world", WORLDS)
def test_the_order_of_the_tasks_changes_no_fit(world: str) -> None:
    one, other = (of_tasks(world, tasks)[0].candidate(NOTHING) for tasks in ((1, 2), (2, 1)))
    assert one.rules == other.rules and one.rank == other.rank


def test_an_initial_atom_is_edited_in_its_own_task_alone() -> None:
    together, _ = of_tasks("grippers", (1, 2))
    (atom, *_), roots = together.model.tasks[1].init["at-robby"], together.seen.walks.roots
    edit = InitialEdit("at-robby", atom, False, 1)
    before, after = (together.tables(edits)["at-robby"] for edits in (NOTHING, frozenset({edit})))
    assert np.array_equal(before[: roots[1]], after[: roots[1]])
    assert before[roots[1]].sum() == after[roots[1]].sum() + 1


CROSS = """(define (domain cross) (:requirements :strips :typing)
  (:types place)
  (:predicates (at ?x - place) (road ?x ?y - place) (dry ?y - place))
  (:action go :parameters (?x ?y - place)
    :precondition (and (at ?x) (road ?x ?y) (dry ?y)) :effect (and (at ?y) (not (at ?x)))))"""

BARE = CROSS.replace(" (dry ?y - place)", "").replace(" (dry ?y)", "")


def crossing(dry: str) -> str:
    places = "abcd"
    roads = " ".join(f"(road {x} {y}) (road {y} {x})" for x, y in pairwise(places))
    wet = " ".join(f"(dry {p})" for p in dry)
    return (
        f"(define (problem p) (:domain cross) (:objects {' '.join(places)} - place) "
        f"(:init (at a) {roads} {wet}) (:goal (at b)))"
    )


@pytest.fixture
def crossings(tmp_path):
    """A folder with two tasks: in the first, all places are dry, so that nothing shows the rule."""
    (tmp_path / "domain.pddl").write_text(CROSS)
    for number, dry in enumerate(("abcd", "abd"), start=1):
        (tmp_path / f"p{number:02}.pddl").write_text(crossing(dry))
    return str(tmp_path)


def lacking(env: str, literal: str, task: int) -> Problem:
    texts = read_texts(env, task)
    domain = read_domain(texts.domain)
    gone = [t for t in terms(domain) if t.text == literal]
    return read_problem(texts.problem, read_domain(without_terms(domain, gone)))


def repaired(env: str, literal: str, *tasks: int) -> Repaired:
    given = [RepairTask(open_world(env, task), lacking(env, literal, task)) for task in tasks]
    return repair(given, np.random.default_rng(0), RepairConfig(queries=1500))


def test_a_static_precondition_that_one_task_cannot_show_comes_back_from_another(crossings: str) -> None:
    one, both = (repaired(crossings, "(dry ?y)", *tasks) for tasks in ((1,), (1, 2)))
    assert one.verdict.agrees and one.edits == ()
    assert both.verdict.agrees and both.described == ("add (dry ?y) to the precondition of go",)
    assert len(both.problems) == 2


@pytest.mark.parametrize("tasks", [(1, 2), pytest.param((2, 1, 3), marks=pytest.mark.slow)])
def test_a_repair_in_several_tasks_holds_in_another(tasks: tuple[int, ...]) -> None:
    def given(task: int) -> Problem:
        return broken(walked("grippers", task=task).problem, 4, 2)[0]

    own = [RepairTask(open_world("grippers", task), given(task)) for task in tasks]
    found = repair(own, np.random.default_rng(1), RepairConfig())
    assert found.verdict.agrees
    model = compile_task(read_problem(read_texts("grippers", 5).problem, read_domain(found.domain)))
    config = EWConfig(walks=300, estimator="survival")
    assert (
        ew_score(transitions_of(open_world("grippers", 5)), model, np.random.default_rng(3), config).score
        == 1
    )


def test_a_rule_about_what_a_task_alone_shows_holds_for_the_tasks_seen(tmp_path) -> None:
    """The model does not know of dry places, and roads go everywhere: what it says is this task's."""
    places = "abcdef"
    roads = " ".join(f"(road {x} {y})" for x, y in permutations(places, 2))
    problem = (
        f"(define (problem p) (:domain cross) (:objects {' '.join(places)} - place) (:init (at a) {roads} "
    )
    (tmp_path / "domain.pddl").write_text(CROSS)
    (tmp_path / "p01.pddl").write_text(f"{problem} (dry a) (dry b) (dry d) (dry f)) (:goal (at b)))")
    given = read_problem(f"{problem}) (:goal (at b)))", read_domain(BARE))
    found = repair([RepairTask(open_world(str(tmp_path), 1), given)], np.random.default_rng(0))
    assert found.unexplained == 0 and found.verdict is RepairVerdict.HOLDS_FOR_SEEN


def test_an_action_that_the_world_never_runs_is_said_to_be_disabled_not_to_agree(tmp_path) -> None:
    """No place is dry, which the model knows nothing of: only a contradiction says that nothing runs."""
    (tmp_path / "domain.pddl").write_text(CROSS)
    (tmp_path / "p01.pddl").write_text(crossing(""))
    given = read_problem(crossing(""), read_domain(BARE))
    found = repair([RepairTask(open_world(str(tmp_path), 1), given)], np.random.default_rng(0))
    assert found.verdict is RepairVerdict.DISABLES and found.disabled == ("go",)
    assert not found.structural, "no rule is invented that disables it as well"


BOXES = """(define (domain boxes) (:requirements :strips :typing) (:types box)
(:predicates (sealed ?b - box) (marked ?b - box) (open ?b - box) (empty ?b - box))
(:action mark :parameters (?b - box) :precondition (sealed ?b) :effect (and (marked ?b) (not (sealed ?b))))
(:action pour :parameters (?b - box) :precondition (open ?b) :effect (empty ?b)))"""


def test_what_makes_an_action_run_that_never_does_is_taken_away_before_the_action_is_disabled(
    tmp_path,
) -> None:
    """To have `pour` need `(sealed ?b)` is one edit, too: no box is both sealed and open."""
    task = """(define (problem p) (:domain boxes) (:objects a b - box) (:init (sealed a) (sealed b))
        (:goal (marked a)))"""
    (tmp_path / "domain.pddl").write_text(BOXES)
    (tmp_path / "p01.pddl").write_text(task)
    given = read_problem(task, read_domain(BOXES.replace("(marked ?b) (not", "(marked ?b) (open ?b) (not")))
    found = repair([RepairTask(open_world(str(tmp_path), 1), given)], np.random.default_rng(0))
    assert found.described == ("remove (open ?b) from the effect of mark",) and not found.disabled


def test_a_contradiction_is_never_added_where_other_literals_do() -> None:
    """Of literals that exclude the same operators, the negation of a precondition comes last."""
    for world in ("grippers", "depot", "miconic"):
        for seed in range(4):
            found = walked(world)
            fits = found.repairs(broken(found.problem, 3, seed)[0]).candidate(NOTHING).fits
            assert not any(own.contradictions for own in fits.values() if not own.left)


LAMPS = """(define (domain lamps) (:requirements :strips :typing :negative-preconditions)
  (:types lamp socket)
  (:predicates (in ?l - lamp ?s - socket) (free ?s - socket) (lit ?l - lamp) (clean ?l - lamp))
  (:action switch-on :parameters (?l - lamp ?s - socket)
    :precondition (and (in ?l ?s) (free ?s)) :effect (and (lit ?l) (not (free ?s))))
  (:action switch-off :parameters (?l - lamp ?s - socket)
    :precondition (and (in ?l ?s) (lit ?l)) :effect (and (not (lit ?l)) (free ?s)))
  (:action wipe :parameters (?l - lamp) :precondition (lit ?l) :effect (clean ?l)))"""


@pytest.mark.parametrize(
    "domain, edit",
    [
        (LAMPS, "add (not (free ?s)) to the effect of switch-on"),
        (
            LAMPS.replace(":precondition (lit ?l)", ":precondition (not (lit ?l))"),
            "(not (lit ?l)) to the pre",
        ),
    ],
)
def test_of_rules_with_equal_evidence_the_one_in_terms_of_the_domain_is_taken(
    tmp_path, domain: str, edit: str
) -> None:
    """With a lamp a socket, a lamp that is lit and a socket that is not free are the same."""
    (tmp_path / "domain.pddl").write_text(domain)
    (tmp_path / "p01.pddl").write_text(
        "(define (problem p) (:domain lamps) (:objects a b - lamp s t - socket) "
        "(:init (in a s) (in b t) (free s) (free t)) (:goal (clean a)))"
    )
    found = repaired(str(tmp_path), "(not (free ?s))", 1)
    assert found.verdict.agrees and len(found.edits) == 1 and edit in found.described[0]
