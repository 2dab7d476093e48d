"""Small domains, each for one feature of the language, and the walk that compares two simulators on them."""

from __future__ import annotations

import importlib.util
import sys
from functools import cache
from pathlib import Path

import numpy as np

import envs.pddl
from envs.pddl.language.domain import Problem, read_domain, read_problem
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.simulator import PackedStates, Task

WORLDS = Path(envs.pddl.__file__).parent.parent / "worlds"


@cache
def problem_of(domain: str, problem: str) -> Problem:
    """Both texts read, once a session: a problem is never changed."""
    return read_problem(problem, read_domain(domain))


@cache
def task_of(domain: str, problem: str) -> Task:
    """Both texts compiled, once a session: a task is never changed, as test_simulator.py shows."""
    return compile_task(problem_of(domain, problem))


def domain(body: str) -> str:
    """A domain's text from what is inside it."""
    return f"(define (domain d) (:requirements :adl) {body})"


def problem(objects: str = "", init: str = "", goal: str = "(and)") -> str:
    """A problem's text for `domain`."""
    return f"(define (problem p) (:domain d) (:objects {objects}) (:init {init}) (:goal {goal}))"


SAMPLES: dict[str, tuple[str, str]] = {
    "an atom added and deleted stays": (
        domain("""(:predicates (p ?x) (q ?x))
        (:action both :parameters (?x) :precondition (q ?x) :effect (and (p ?x) (not (p ?x)) (not (q ?x))))
        (:action move :parameters (?x ?y) :precondition (p ?x) :effect (and (not (p ?x)) (p ?y) (q ?x)))"""),
        problem("a b c", "(p a) (q b)", "(p c)"),
    ),
    "conditions read the old state": (
        domain("""(:predicates (p) (q))
        (:action step :parameters () :effect (and (not (p)) (when (p) (q)) (when (not (p)) (p))
                                                  (when (and (q) (not (p))) (not (q)))))"""),
        problem("", "(p)", "(and (q) (not (p)))"),
    ),
    "a swap reads the old state": (
        domain("""(:predicates (p ?x) (q ?x) (r ?x ?y))
        (:action swap :parameters (?x)
          :effect (and (when (p ?x) (and (q ?x) (not (p ?x)))) (when (q ?x) (and (p ?x) (not (q ?x))))))
        (:action tie :parameters (?x ?y) :precondition (p ?x)
          :effect (and (r ?x ?y) (forall (?z) (when (r ?y ?z) (and (not (r ?y ?z)) (r ?x ?z))))))"""),
        problem("a b", "(p a)", "(and (q a) (r a b))"),
    ),
    "equality": (
        domain("""(:predicates (on ?x ?y) (seen ?x))
        (:action link :parameters (?x ?y ?z) :precondition (and (not (= ?x ?y)) (or (= ?z ?x) (= ?z ?y))
          (not (on ?x ?y))) :effect (and (on ?x ?y) (when (= ?z ?x) (seen ?z))))
        (:action cut :parameters (?x ?y) :precondition (on ?x ?y)
          :effect (forall (?z) (when (not (= ?z ?y)) (not (on ?x ?z)))))"""),
        problem("a b c", "(on a a)", "(forall (?x ?y) (imply (on ?x ?y) (= ?x ?y)))"),
    ),
    "negative preconditions of static and fluent predicates": (
        domain("""(:predicates (wall ?x) (at ?x) (next ?x ?y) (marked ?x))
        (:action go :parameters (?x ?y) :precondition (and (at ?x) (next ?x ?y)
            (not (wall ?y)) (not (marked ?y)))
          :effect (and (at ?y) (not (at ?x)) (marked ?x)))
        (:action wipe :parameters (?x) :precondition (and (marked ?x) (not (at ?x)))
          :effect (not (marked ?x)))"""),
        problem(
            "a b c d", "(at a) (wall d) (next a b) (next b c) (next c d) (next b a) (next c a)", "(at c)"
        ),
    ),
    "disjunctions and nested quantifiers": (
        domain("""(:types thing) (:predicates (p ?x ?y - thing) (q ?x - thing) (r))
        (:action a :parameters (?x - thing)
          :precondition (or (q ?x)
            (and (r) (forall (?y - thing) (exists (?z - thing) (or (p ?y ?z) (q ?z))))))
          :effect (and (not (q ?x)) (p ?x ?x)))
        (:action b :parameters (?x ?y - thing)
          :precondition (not (forall (?z - thing) (and (p ?x ?z) (not (and (q ?y) (r))))))
          :effect (and (p ?x ?y) (r)))
        (:action c :parameters (?x - thing) :precondition (imply (r) (exists (?y - thing) (p ?y ?x)))
          :effect (and (q ?x) (not (r)) (not (p ?x ?x))))"""),
        problem("u v w - thing", "(q u) (p u v)", "(exists (?x - thing) (and (q ?x) (not (p ?x ?x))))"),
    ),
    "universal conditional effects": (
        domain("""(:types box place) (:predicates (in ?b - box ?p - place) (truck ?p - place) (shut ?b - box))
        (:action drive :parameters (?a ?b - place) :precondition (truck ?a)
          :effect (and (not (truck ?a)) (truck ?b)
            (forall (?x - box) (when (and (in ?x ?a) (not (shut ?x))) (and (in ?x ?b) (not (in ?x ?a)))))))
        (:action toggle :parameters (?x - box)
          :effect (and (when (shut ?x) (not (shut ?x))) (when (not (shut ?x)) (shut ?x))))
        (:action gather :parameters (?p - place)
          :effect (forall (?x - box ?y - place)
            (when (exists (?z - box) (in ?z ?p)) (and (not (in ?x ?y)) (in ?x ?p)))))"""),
        problem("x y - box i j k - place", "(in x i) (in y j) (truck i)", "(and (in x k) (in y k))"),
    ),
    "constants": (
        domain("""(:types room ball) (:constants hall - room red - ball)
        (:predicates (at ?b - ball ?r - room))
        (:action fetch :parameters (?b - ball ?r - room) :precondition (and (at ?b ?r) (not (at red hall)))
          :effect (and (at ?b hall) (not (at ?b ?r))))
        (:action kick :parameters (?r - room) :precondition (at red hall)
          :effect (and (at red ?r) (not (at red hall))))"""),
        problem("blue - ball den - room", "(at red den) (at blue den)", "(at red hall)"),
    ),
    "type hierarchies and either": (
        domain("""(:types car truck - vehicle vehicle crate place - object)
        (:predicates (at ?x - (either vehicle crate) ?p - place) (full ?v - truck))
        (:action go :parameters (?v - vehicle ?a ?b - place) :precondition (at ?v ?a)
          :effect (and (at ?v ?b) (not (at ?v ?a))))
        (:action push :parameters (?x - (either car crate) ?a ?b - place) :precondition (at ?x ?a)
          :effect (and (not (at ?x ?a)) (at ?x ?b)))
        (:action fill :parameters (?t - truck) :precondition (forall (?c - car) (exists (?p - place)
            (and (at ?c ?p) (at ?t ?p)))) :effect (full ?t))"""),
        problem("c - car t - truck v - vehicle k - crate i j - place", "(at c i) (at t j) (at v j) (at k i)"),
    ),
    "no parameters and no arguments": (
        domain("""(:predicates (lit) (warm))
        (:action light :parameters () :precondition (not (lit)) :effect (lit))
        (:action burn :parameters () :precondition (lit) :effect (and (warm) (not (lit))))
        (:action never :parameters () :precondition (and (lit) (not (lit))) :effect (not (warm)))"""),
        problem("", "", "(and (warm) (lit))"),
    ),
    "no actions": (domain("(:predicates (p ?x))"), problem("a", "(p a)", "(not (p a))")),
    "nothing at all": (domain(""), problem()),
    "a type without objects": (
        domain("""(:types none some) (:predicates (p ?x - none) (q ?y - some))
        (:action a :parameters (?x - none) :effect (p ?x))
        (:action b :parameters (?y - some) :precondition (forall (?x - none) (p ?x)) :effect (q ?y))
        (:action c :parameters (?y - some) :precondition (exists (?x - none) (not (p ?x)))
          :effect (not (q ?y)))"""),
        problem("s - some", "", "(q s)"),
    ),
    "variables of the same name in different scopes": (
        domain("""(:predicates (p ?x) (q ?x))
        (:action a :parameters (?x) :precondition (and (p ?x) (exists (?x) (and (q ?x) (exists (?x) (p ?x)))))
          :effect (and (forall (?x) (when (q ?x) (p ?x))) (not (p ?x)) (q ?x)))
        (:action b :parameters (?x) :precondition (forall (?x) (or (p ?x) (q ?x))) :effect (not (q ?x)))"""),
        problem("a b c", "(p a) (q b)", "(forall (?x) (p ?x))"),
    ),
    "conditions that are decided at once": (
        domain("""(:predicates (s ?x) (t ?x) (f ?x))
        (:action a :parameters (?x) :precondition (or (s ?x) (and (f ?x) (not (f ?x)))) :effect (f ?x))
        (:action b :parameters (?x) :precondition (or (f ?x) (not (f ?x))) :effect (when (s ?x) (not (f ?x))))
        (:action c :parameters (?x) :precondition (or (t ?x) (and (f ?x) (f ?x)))
          :effect (when (t ?x) (f ?x)))
        (:action d :parameters (?x ?y) :precondition (and) :effect (when (not (s ?y)) (f ?x)))"""),
        problem("a b c", "(s a) (s b)", "(or (t a) (f c))"),
    ),
    "atoms wider than 64 bits": (
        domain("""(:predicates (w ?a ?b ?c ?d ?e ?f ?g ?h ?i ?j ?k ?l ?m) (p ?x))
        (:action a :parameters (?x ?y)
          :precondition (and (p ?x) (not (w ?x ?x ?x ?x ?x ?x ?x ?x ?x ?x ?x ?x ?y)))
          :effect (and (not (p ?x)) (p ?y) (w ?x ?x ?x ?x ?x ?x ?x ?x ?x ?x ?x ?x ?y)))"""),
        problem(" ".join(f"o{i}" for i in range(32)), "(p o3)", "(p o0)"),
    ),
    "costs are ignored": (
        """(define (domain d) (:requirements :strips :action-costs)
        (:predicates (p ?x)) (:functions (total-cost))
        (:action a :parameters (?x ?y) :precondition (p ?x)
          :effect (and (p ?y) (increase (total-cost) 2))))""",
        "(define (problem p) (:domain d) (:objects a b) (:init (p a) (= (total-cost) 0)) (:goal (p b))"
        " (:metric minimize (total-cost)))",
    ),
}


#: Domains of other authors with few enough operators for the reference.
PDDLGYM = (
    "baking blocks_operator_actions conditionalblocks conditionalferry depot elevator equalityblocks ferry "
    "fridge gripper hanoi hiking maze meetpass minecraft movie newspapers onearmedgripper quantifiedblocks "
    "rearrangement searchandrescue_level1 sokoban spannerlearning travel tsp visit_all"
)


def bundled(*problems: int) -> dict[str, tuple[str, str]]:
    """The texts of the bundled worlds' problems with these numbers, by `world/number`."""
    return {
        f"{path.parent.name}/{number}": (
            (path.parent / "domain.pddl").read_text(encoding="utf-8"),
            path.read_text(encoding="utf-8"),
        )
        for number in problems
        for path in sorted(WORLDS.glob(f"*/p{number:02}.pddl"))
    }


CASES_OF_WORLDS = bundled(1)


def pddlgym_texts() -> dict[str, tuple[str, str]]:
    """The texts of the first problem of domains that pddlgym ships, read without importing it.

    None where pddlgym cannot be installed.
    """
    found = importlib.util.find_spec("pddlgym")
    if found is None or found.origin is None:
        assert sys.version_info >= (3, 13), "pddlgym is a dependency"
        return {}
    folder = Path(found.origin).parent / "pddl"
    return {
        f"pddlgym {name}": (
            (folder / f"{name}.pddl").read_text(encoding="utf-8"),
            min((folder / name).glob("*.pddl")).read_text(encoding="utf-8"),
        )
        for name in PDDLGYM.split()
    }


def random_states(task: Task, count: int, seed: int = 0) -> PackedStates:
    """`count` states that a random walk meets, from the start again at dead ends and every 25 steps."""
    rng = np.random.default_rng(seed)
    rows, state = [], task.initial(1)
    for step in range(count):
        rows.append(state[0])
        choices = np.flatnonzero(task.applicable(state)[0])
        if len(choices) and (step + 1) % 25:
            state = task.successors(state, choices[[int(rng.random() * len(choices))]])
        else:
            state = task.initial(1)
    return np.stack(rows)


def first_choices(task: Task, states: PackedStates, seed: int = 1) -> np.ndarray:
    """One random applicable operator a state; -1 where there is none."""
    rng = np.random.default_rng(seed)
    chosen = []
    for row in task.applicable(states):
        choices = np.flatnonzero(row)
        chosen.append(choices[int(rng.random() * len(choices))] if len(choices) else -1)
    return np.array(chosen, dtype=np.int64)
