"""Walks and learning in turns: deterministic, within their queries, and what is learned holds elsewhere."""

from itertools import pairwise

import numpy as np
import pytest

from agents.operators import exploration
from agents.operators.exploration import Exploration, Explorer, explored
from agents.operators.learner import Bias, learn_operators
from agents.operators.lifted import domain_of, shown_problem
from agents.operators.novelty import novel_walks
from agents.operators.turns import learn_in_turns
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.language.operators import parse_operator
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.probes import ProbedTask
from envs.world import open_world
from ew.probes.examine import examine
from ew.score.score import ew_score
from ew.walks.adapter import transitions_of

LOCKS = """(define (domain locks) (:requirements :adl :typing) (:types room key)
  (:predicates (at ?r - room) (has ?k - key) (lies ?k - key ?r - room) (barred ?r - room)
    (fits ?k - key ?r - room))
  (:action go :parameters (?r - room) :precondition (not (barred ?r))
    :effect (and (forall (?x - room) (when (at ?x) (not (at ?x)))) (at ?r)))
  (:action take :parameters (?k - key ?r - room) :precondition (and (at ?r) (lies ?k ?r))
    :effect (and (has ?k) (not (lies ?k ?r))))
  (:action leave :parameters (?k - key ?r - room) :precondition (and (at ?r) (has ?k))
    :effect (and (not (has ?k)) (lies ?k ?r)))
  (:action turn :parameters (?r - room)
    :precondition (exists (?k - key) (and (has ?k) (fits ?k ?r)))
    :effect (and (when (barred ?r) (not (barred ?r))) (when (not (barred ?r)) (barred ?r)))))
"""

#: What every row of three shows, and is no rule: who jumps does so from the last place to the first, and both
#: directions are open.
ROW = """(define (domain row) (:requirements :strips :typing :equality) (:types place direction)
  (:constants east west - direction)
  (:predicates (at ?x - place) (next ?x ?y - place) (first ?x - place) (last ?x - place)
    (open ?d - direction))
  (:action walk :parameters (?d - direction ?x ?y - place)
    :precondition (and (= ?d east) (at ?x) (next ?x ?y)) :effect (and (not (at ?x)) (at ?y)))
  (:action jump :parameters (?d - direction ?x ?y ?z - place)
    :precondition (and (= ?d west) (at ?x) (next ?y ?x) (next ?z ?y)) :effect (and (not (at ?x)) (at ?z))))
"""


def scored(env, task, walkers, operators):
    """EW of what was learned, in a task that was not walked in."""
    world = open_world(env, task)
    domain = read_domain(domain_of(walkers[0].vocabulary, operators))
    model = compile_task(read_problem(shown_problem(world, domain.name), domain))
    return ew_score(transitions_of(world), model, np.random.default_rng(0)).score


def write_task(folder, number, places, facts, goal):
    text = f"(:domain row) (:objects {places} - place) (:init {facts}) (:goal {goal})"
    path = folder / f"p{number:02}.pddl"
    path.write_text(f"(define (problem p{number}) {text})", encoding="utf-8")


@pytest.fixture(scope="module")
def row(tmp_path_factory):
    """Tasks 1 and 2 with three places, task 3 with six."""
    folder = tmp_path_factory.mktemp("row")
    (folder / "domain.pddl").write_text(ROW, encoding="utf-8")
    for number, count in enumerate((3, 3, 6), start=1):
        places = [f"p{i}" for i in range(count)]
        facts = [f"(next {x} {y})" for x, y in pairwise(places)]
        facts += [f"(at {places[number % 2]})", f"(first {places[0]})", f"(last {places[-1]})"]
        facts += ["(open east)", "(open west)"] if count == 3 else []
        write_task(folder, number, " ".join(places), " ".join(facts), f"(at {places[-1]})")
    return str(folder)


def test_what_the_tasks_seen_imply_and_nothing_refuses_is_no_rule(row):
    walkers = explorers(row, (1, 2))
    jump, walk = learn_in_turns(walkers, Bias.LEAN, turns=2)
    assert set(map(str, jump.preconditions)) == {"(= ?d west)", "(at ?x)", "(next ?y ?x)", "(next ?z ?y)"}
    assert set(map(str, walk.preconditions)) == {"(= ?d east)", "(at ?x)", "(next ?x ?y)"}
    assert scored(row, 3, walkers, (jump, walk)) == 1


def test_of_two_orders_that_the_tasks_seen_do_not_tell_apart_that_of_the_parameters_is_learned(tmp_path):
    """All roads seen go both ways; in the task that was not seen they do not."""
    text = ROW[: ROW.index("  (:action jump")].replace("(= ?d east) ", "") + ")"
    (tmp_path / "domain.pddl").write_text(text, encoding="utf-8")
    for number, back in ((1, "(next b a) (next c b)"), (2, "")):
        write_task(tmp_path, number, "a b c", f"(at a) (next a b) (next b c) {back}", "(at b)")
    walkers = explorers(str(tmp_path), (1,))
    assert scored(str(tmp_path), 2, walkers, learn_in_turns(walkers, Bias.LEAN, turns=2)) == 1


def test_what_the_world_does_not_list_is_noted_where_the_model_lets_it_run(row):
    """The world lists nothing that can never run: the other direction is learned from all the same."""
    (walker,) = explorers(row, (1,))
    walker.wander(3)
    loose = read_domain(ROW.replace("(= ?d east) ", ""))
    problem = read_problem(shown_problem(walker.world, "row"), loose)
    assert walker.compare(ProbedTask(problem, contexts=False))
    noted = [step for step in walker.trace.steps if step.operator.startswith("(walk west")]
    assert noted and not any(step.executable for step in noted)
    assert "(walk west p0 p1)" not in walker.walks.operators


@pytest.fixture(scope="module")
def locks(tmp_path_factory):
    folder = tmp_path_factory.mktemp("locks")
    (folder / "domain.pddl").write_text(LOCKS, encoding="utf-8")
    for number in range(1, 5):
        rng = np.random.default_rng(number)
        rooms, keys = [f"r{i}" for i in range(3 + number % 2)], ["k1", "k2"]
        facts = [f"(at {rooms[0]})", *(f"(barred {r})" for r in rooms[2:])]
        facts += [f"(lies {k} {rng.choice(rooms[:2])})" for k in keys]
        facts += [f"(fits {rng.choice(keys)} {r})" for r in rooms]
        text = (
            f"(define (problem p{number}) (:domain locks) (:objects {' '.join(rooms)} - room k1 k2 - key)"
            f" (:init {' '.join(facts)}) (:goal (at {rooms[-1]})))"
        )
        (folder / f"p{number:02}.pddl").write_text(text, encoding="utf-8")
    return str(folder)


def explorers(env, tasks, **settings):
    given = Exploration(**{"walks": 10, "length": 10, **settings})
    return [Explorer(open_world(env, task), np.random.default_rng(task), given) for task in tasks]


@pytest.fixture(scope="module")
def walked(locks):
    lines, walkers = [], explorers(locks, (1, 2))
    return walkers, learn_in_turns(walkers, Bias.LEAN, turns=2, report=lines.append), lines


def test_what_is_learned_holds_in_a_task_that_was_not_walked_in(locks, walked):
    walkers, operators, lines = walked
    assert (
        len(lines) == 3
        and lines[-1] == "probes: no disagreement with the learned model"
        and not any(o.unexplained for o in operators)
    )
    assert scored(locks, 4, walkers, operators) == 1


def test_probes_correct_what_few_walks_taught(locks):
    """After a walk or two rules are missing; at the end no probe is a disagreement."""
    walkers = explorers(locks, (1, 2), walks=2, length=4)
    lines = []
    operators = learn_in_turns(walkers, Bias.LEAN, turns=1, report=lines.append)
    domain = read_domain(domain_of(walkers[0].vocabulary, operators))
    for walker in walkers:
        problem = read_problem(shown_problem(walker.world, domain.name), domain)
        assert examine(walker.walks, problem, np.random.default_rng(0)).found is None
    assert len(lines) > 2 and lines[-1].endswith("no disagreement with the learned model")


def test_when_time_is_up_what_was_seen_is_learned_from(locks, monkeypatch):
    nothing = explorers(locks, (1, 2), wall_s=1e-9)
    assert learn_in_turns(nothing, Bias.LEAN) == () and not explored(nothing).traces.steps
    monkeypatch.setattr(Explorer, "is_late", property(lambda self: True))
    walkers, lines = explorers(locks, (1, 2)), []
    operators = learn_in_turns(walkers, Bias.LEAN, turns=3, report=lines.append)
    assert operators and lines[1:] == ["time is up: the turns from 2 on and the probes were left out"]
    once = explorers(locks, (1, 2))
    for walker in once:
        walker.wander(3)  # the walks of the first turn
    assert [w.walks.seen().parents.tolist() for w in walkers] == [
        w.walks.seen().parents.tolist() for w in once
    ]


def test_the_same_seeds_give_the_same_rules(locks):
    one, other = (learn_in_turns(explorers(locks, (1, 2), walks=2), Bias.LEAN, turns=2) for _ in range(2))
    assert one == other


@pytest.mark.parametrize("turns", [1, 2])
@pytest.mark.parametrize("bias", [Bias.LEAN, Bias.SAFE])
def test_the_traces_teach_what_was_learned(row, bias, turns):
    """And no state that was seen lets anything run in the model that the world refuses, listed or not."""
    walkers = explorers(row, (1, 2))
    operators = learn_in_turns(walkers, bias, turns=turns)
    traces = explored(walkers).traces
    assert traces.refusals_searched == (bias is Bias.LEAN)
    assert learn_operators(traces, bias) == operators
    domain = read_domain(domain_of(traces.vocabulary, operators))
    for walker in walkers:
        problem = read_problem(shown_problem(walker.world, domain.name), domain)
        assert walker.compare(ProbedTask(problem, contexts=False)) == 0


def test_states_may_be_compared_one_by_one(row, monkeypatch):
    def learned():
        walkers = explorers(row, (1, 2))
        return learn_in_turns(walkers, Bias.LEAN, turns=2), explored(walkers).traces

    one, traces = learned()
    monkeypatch.setattr(exploration, "_MOST_CELLS", 1)
    other, again = learned()
    assert one == other and [t.same for t in traces.traces] == [t.same for t in again.traces]


def test_a_model_is_wrong_about_what_it_forbids_and_what_it_lets_run_and_about_nothing_else(row):
    def new(rules):
        (walker,) = explorers(row, (3,), refusals=0)
        walker.wander(4)
        problem = read_problem(shown_problem(walker.world, "row"), read_domain(rules))
        return walker.compare(ProbedTask(problem, contexts=False))

    assert new(ROW) == 0
    assert new(ROW.replace("(= ?d west) (at ?x)", "(= ?d west) (first ?x) (at ?x)")) > 0
    assert new(ROW.replace("(= ?d west) (at ?x)", "(= ?d west)")) > 0


def test_a_task_in_which_nothing_runs_teaches_nothing_and_stops_nothing(tmp_path):
    (tmp_path / "domain.pddl").write_text(ROW, encoding="utf-8")
    for number, facts in enumerate(("(at a) (next a b)", ""), start=1):
        write_task(tmp_path, number, "a b", facts, "(at b)")
    assert learn_in_turns(explorers(str(tmp_path), (2,)), Bias.LEAN, turns=2) == ()
    (walk,) = learn_in_turns(explorers(str(tmp_path), (1, 2)), Bias.LEAN, turns=2)
    assert walk.name == "walk"


def test_a_trace_has_no_step_twice_whatever_was_noted(locks):
    """What runs and was made is noted, too, where its action is doubtful."""
    (walker,) = explorers(locks, (1,))
    walker.wander(5)
    problem = read_problem(shown_problem(walker.world, "locks"), read_domain(LOCKS))
    assert walker.compare(ProbedTask(problem, contexts=False), {"go", "take", "leave", "turn"})
    steps = [(step.operator, step.before) for step in walker.trace.steps]
    assert len(set(steps)) == len(steps)


@pytest.mark.parametrize(("walks", "queries"), [(3, 15), (1, 1)])
def test_few_walks_and_queries_are_a_bound(locks, walks, queries):
    walkers = explorers(locks, (1,), walks=walks, queries=queries)
    learn_in_turns(walkers, Bias.LEAN, turns=5)
    assert walkers[0].walks.queries <= queries


def test_walks_lead_to_operators_of_the_actions_asked_for(walked):
    for walker in walked[0]:
        walks = walker.leading_to({"take", "turn"}, 3)
        assert {parse_operator(walk[-1])[0] for walk in walks} <= {"take", "turn"}
        assert all(walk[-1] in walker.world.applicable(walk[:-1]) for walk in walks)
        assert len(walks) in (3, 6)


def test_novel_walks_run_in_the_model_and_none_is_new_where_all_was_seen(locks):
    domain = read_domain(LOCKS)
    model = ProbedTask(read_problem(shown_problem(open_world(locks, 1), "locks"), domain), contexts=False)
    walks = novel_walks(model, [], 5)
    assert walks and len(set(walks)) == len(walks)
    world = open_world(locks, 1)
    assert all(walk[-1] in world.applicable(walk[:-1]) for walk in walks)
    many = novel_walks(model, [], 10_000)
    seen = {world.facts(walk[:end]) for walk in many for end in range(len(walk) + 1)}
    assert novel_walks(model, seen, 5) == []


@pytest.mark.parametrize("wrong", [{"turns": 0}, {"observed": 0.5}])
def test_states_in_part_and_no_turn_are_refused(locks, wrong):
    observed = wrong.get("observed", 1.0)
    with pytest.raises(ValueError, match="seen whole"):
        learn_in_turns(explorers(locks, (1,), observed=observed), Bias.LEAN, turns=wrong.get("turns", 1))
