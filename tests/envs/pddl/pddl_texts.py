"""PDDL texts that several tests read."""

import sys
from importlib.util import find_spec
from pathlib import Path

GRIPPERS = """\
(define (domain grippers)
  (:requirements :strips :typing)
  (:types room ball robot gripper - object)
  (:predicates
    (at-robby ?r - robot ?x - room)
    (at ?b - ball ?x - room)
    (free ?r - robot ?g - gripper)
    (carry ?r - robot ?b - ball ?g - gripper))
  (:action move
    :parameters (?r - robot ?from ?to - room)
    :precondition (at-robby ?r ?from)
    :effect (and (at-robby ?r ?to) (not (at-robby ?r ?from))))
  (:action pick
    :parameters (?r - robot ?b - ball ?x - room ?g - gripper)
    :precondition (and (at ?b ?x) (at-robby ?r ?x) (free ?r ?g))
    :effect (and (carry ?r ?b ?g) (not (at ?b ?x)) (not (free ?r ?g))))
  (:action drop
    :parameters (?r - robot ?b - ball ?x - room ?g - gripper)
    :precondition (and (carry ?r ?b ?g) (at-robby ?r ?x))
    :effect (and (at ?b ?x) (free ?r ?g) (not (carry ?r ?b ?g)))))
"""

GRIPPERS_PROBLEM = """\
(define (problem two-balls)
  (:domain grippers)
  (:objects
    robot1 - robot
    left1 right1 - gripper
    room1 room2 - room
    ball1 ball2 - ball)
  (:init
    (at-robby robot1 room1)
    (free robot1 left1)
    (free robot1 right1)
    (at ball1 room1)
    (at ball2 room2))
  (:goal (and (at ball1 room2) (at ball2 room1))))
"""

#: Everything that is supported, in one domain.
EVERYTHING = """\
(DEFINE (DOMAIN everything)
  (:REQUIREMENTS :adl :action-costs)
  (:types a b - c d c - object u - (either a d))
  (:constants k - a)
  (:predicates (p ?x - c) (q ?x - a ?y - (either b d)) (z) (a ?any))
  (:functions (total-cost) - number (dist ?x ?y - a) - number)
  (:action one
    :parameters (?x - a ?y - (either d b))
    :precondition (and (p ?x) (and (not (q ?x ?y)) (and)) (or (z) (imply (z) (p k)))
      (forall (?w - b ?v) (exists (?x - a) (and (q ?x ?w) (not (= ?x ?v))))) (= ?x k))
    :effect (and
      (when (and (p ?x) (z)) (and (not (p ?x)) (q ?x ?y)))
      (forall (?w - a) (and (when (p ?w) (not (p ?w))) (forall (?e - b) (q ?w ?e))))
      (increase (total-cost) (dist ?x k))))
  (:action two :parameters () :precondition () :effect (and (z) (increase (total-cost) 3.5)))
  (:action Three :effect (a k)))
"""

EVERYTHING_PROBLEM = """\
(define (problem some)
  (:domain EVERYTHING)
  (:objects a1 - a b1 - b d1 d2 - d e three)
  (:init (p a1) (q a1 b1) (z) (= (total-cost) 0) (= (dist a1 k) 2.25) (a three))
  (:goal (and (not (z)) (exists (?x - a) (p ?x))))
  (:metric minimize (total-cost)))
"""


def pddlgym_tasks() -> dict[str, tuple[str, str]]:
    """Domain and problem text of every classical domain that pddlgym ships with a problem, by name.

    None where pddlgym cannot be installed.
    """
    spec = find_spec("pddlgym")
    if spec is None or spec.origin is None:
        assert sys.version_info >= (3, 13), "pddlgym is a dependency"
        return {}
    folder = Path(spec.origin).parent / "pddl"
    tasks = {}
    for path in sorted(folder.glob("*.pddl")):
        problems = sorted((folder / path.stem).glob("*.pddl"))
        text = path.read_text(encoding="utf-8")
        if problems and "probabilistic" not in text and ":derived" not in text:
            tasks[path.stem] = text, problems[0].read_text(encoding="utf-8")
    return tasks
