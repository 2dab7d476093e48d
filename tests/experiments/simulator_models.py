"""Hand-written models of simulators, right and wrong, and the problems of their tasks.

The packages ship none: what an agent is to find out must not lie beside it.
"""

from __future__ import annotations

from agents.operators.lifted import shown_problem
from envs.world import open_world

_MOVE = """
  (:action move-{way} :parameters (?from ?to - cell)
    :precondition (and ({at} ?from) ({way} ?from ?to){more})
    :effect (and ({at} ?to) (not ({at} ?from))))"""
_WAYS = ("north", "south", "east", "west")
_NEIGHBOURS = " ".join(f"({way} ?from ?to - cell)" for way in _WAYS)


def _moves(at: str, more: str = "") -> str:
    return "".join(_MOVE.format(way=way, at=at, more=more) for way in _WAYS)


TAXI = f"""(define (domain taxi) (:requirements :strips :typing) (:types cell passenger)
  (:predicates (taxi-at ?c - cell) (passenger-at ?p - passenger ?c - cell) (in-taxi ?p - passenger)
    (stand ?c - cell) {_NEIGHBOURS}){_moves("taxi-at")}
  (:action pick-up :parameters (?p - passenger ?c - cell)
    :precondition (and (taxi-at ?c) (passenger-at ?p ?c))
    :effect (and (in-taxi ?p) (not (passenger-at ?p ?c))))
  (:action drop-off :parameters (?p - passenger ?c - cell)
    :precondition (and (taxi-at ?c) (in-taxi ?p) (stand ?c))
    :effect (and (passenger-at ?p ?c) (not (in-taxi ?p)))))
"""
#: Passengers get out anywhere, and stay where they were when they get in.
WRONG_TAXI = TAXI.replace(" (stand ?c))\n    :effect", ")\n    :effect").replace(
    "(and (in-taxi ?p) (not (passenger-at ?p ?c)))", "(in-taxi ?p)"
)
LAKE = f"""(define (domain frozen-lake) (:requirements :strips :typing) (:types cell)
  (:predicates (at ?c - cell) (ice ?c - cell) (hole ?c - cell) (present ?c - cell)
    {_NEIGHBOURS}){_moves("at", " (ice ?from)")})
"""
#: One walks out of holes, and westwards from anywhere.
WRONG_LAKE = LAKE.replace(" (ice ?from)", "").replace(" (west ?from ?to)", "")
CLIFF = f"""(define (domain cliff-walking) (:requirements :typing :negative-preconditions) (:types cell)
  (:predicates (at ?c - cell) (cliff ?c - cell)
    {_NEIGHBOURS}){_moves("at", " (not (cliff ?to))")})
"""
_TURN = """
  (:action turn-{way} :parameters (?from ?to - direction)
    :precondition (and (facing ?from) ({way} ?from ?to))
    :effect (and (facing ?to) (not (facing ?from))))"""
_POSE = "(at ?from) (facing ?d) (next ?from ?c ?d)"
#: MiniGrid without keys, as the one who writes it may begin: toggle opens what is closed.
MINIGRID = f"""(define (domain minigrid)
  (:requirements :strips :typing :negative-preconditions :conditional-effects :disjunctive-preconditions)
  (:types cell direction door thing - object ball box key - thing)
  (:predicates (at ?c - cell) (facing ?d - direction) (holding ?x - thing) (hands-free)
    (lies ?x - thing ?c - cell) (clear ?c - cell) (enterable ?c - cell) (door-at ?o - door ?c - cell)
    (open ?o - door) (locked ?o - door) (fits ?k - key ?o - door) (next ?f ?t - cell ?d - direction)
    (left ?f ?t - direction) (right ?f ?t - direction)){_TURN.format(way="left")}{_TURN.format(way="right")}
  (:action move :parameters (?from ?c - cell ?d - direction)
    :precondition (and {_POSE} (enterable ?c)) :effect (and (at ?c) (not (at ?from))))
  (:action pick-up :parameters (?x - thing ?from ?c - cell ?d - direction)
    :precondition (and {_POSE} (lies ?x ?c) (hands-free))
    :effect (and (holding ?x) (not (hands-free)) (not (lies ?x ?c)) (clear ?c) (enterable ?c)))
  (:action drop :parameters (?x - thing ?from ?c - cell ?d - direction)
    :precondition (and {_POSE} (holding ?x) (clear ?c))
    :effect (and (lies ?x ?c) (hands-free) (not (holding ?x)) (not (clear ?c)) (not (enterable ?c))))
  (:action toggle :parameters (?o - door ?from ?c - cell ?d - direction)
    :precondition (and {_POSE} (door-at ?o ?c) UNLOCKING)
    :effect (and (when (open ?o) (and (not (open ?o)) (not (enterable ?c))))
                 (when (not (open ?o)) (and (open ?o) (enterable ?c))) (not (locked ?o)))))
"""
_KEYED = "(or (not (locked ?o)) (exists (?k - key) (and (fits ?k ?o) (holding ?k))))"
DOORS = MINIGRID.replace("UNLOCKING", _KEYED).replace(":strips", ":strips :existential-preconditions")
#: Locked doors cannot be opened at all.
WRONG_DOORS = MINIGRID.replace("UNLOCKING", "(not (locked ?o))")


def problem_of(world: str, task: int | str) -> str:
    """The PDDL of a task, out of what its world shows."""
    name = {"Taxi": "taxi", "FrozenLake": "frozen-lake", "CliffWalking": "cliff-walking"}
    return shown_problem(open_world(world, task), name.get(world.partition(":")[2], "minigrid"))
