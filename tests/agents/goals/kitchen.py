"""A small domain for the tests of goal inference: things are taken, washed and cooked."""

from __future__ import annotations

from agents.goals.task import GoalSpace, Observed
from agents.operators.guided import read_operator
from agents.operators.lifted import NamedLiteral, Operator
from envs.pddl.language.domain import read_vocabulary

WORDS = read_vocabulary(
    """(define (domain kitchen) (:requirements :typing)
    (:types food tool - thing kind)
    (:constants raw soup salad clean - kind)
    (:predicates (held ?x - thing) (free) (is ?x - thing ?k - kind))
    (:action take :parameters (?x - thing) :precondition () :effect ())
    (:action drop :parameters (?x - thing) :precondition () :effect ())
    (:action wash :parameters (?t - tool) :precondition () :effect ())
    (:action cook :parameters (?f - food ?t - tool) :precondition () :effect ())
    (:action toss :parameters (?f - food) :precondition () :effect ()))"""
)
_TEXTS = (
    """(:action take :parameters (?x - thing) :precondition (and (free) (not (held ?x)))
    :effect (and (held ?x) (not (free))))""",
    "(:action drop :parameters (?x - thing) :precondition (held ?x) :effect (and (free) (not (held ?x))))",
    "(:action wash :parameters (?t - tool) :precondition (held ?t) :effect (is ?t clean))",
    """(:action cook :parameters (?f - food ?t - tool)
    :precondition (and (held ?t) (is ?t clean) (is ?f raw)) :effect (and (is ?f soup) (not (is ?f raw))))""",
    """(:action toss :parameters (?f - food) :precondition (and (held ?f) (is ?f raw))
    :effect (and (is ?f salad) (not (is ?f raw))))""",
)
OPERATORS: tuple[Operator, ...] = tuple(read_operator(text, WORDS) for text in _TEXTS)
OBJECTS = {"leek": "food", "kale": "food", "pot": "tool", "raw": "kind", "soup": "kind", "salad": "kind",
           "clean": "kind"}  # fmt: skip
FACTS = frozenset({("free",), ("is", "leek", "raw"), ("is", "kale", "raw")})
SOUP = ("(take pot)", "(wash pot)", "(cook leek pot)", "(drop pot)")


def space(size: int = 1) -> GoalSpace:
    """Something is to be of a kind."""
    return GoalSpace((NamedLiteral("is", ("?x", "?kind")),), "?kind", ("clean", "salad", "soup"), size)


def observed(*plan: str, operators: tuple[Operator, ...] = OPERATORS) -> Observed:
    """What is seen of a plan in the kitchen."""
    return Observed(WORDS, operators, OBJECTS, FACTS, plan)
