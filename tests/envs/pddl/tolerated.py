"""Texts that are read with warnings, each beside the clean text that means the same."""

STORAGE = """\
(define (domain storage-propositional)
 (:requirements :typing)
 (:types hoist surface place {first}- object
         container depot - place
         storearea transitarea - area
         area crate - surface)
 (:predicates (clear ?s - storearea) (in ?x - surface ?p - place) (available ?h - hoist)
   (lifting ?h - hoist ?c - crate) (at ?h - hoist ?a - area) (on ?c - crate ?s - storearea)
   (connected ?a1 ?a2 - area))
 (:action lift :parameters (?h - hoist ?c - crate ?a1 - storearea ?a2 - area ?p - place)
  :precondition (and (connected ?a1 ?a2) (at ?h ?a2) (available ?h) (on ?c ?a1) (in ?a1 ?p))
  :effect (and (not (on ?c ?a1)) (clear ?a1) (not (available ?h)) (lifting ?h ?c) (not (in ?c ?p))))
 (:action drop :parameters (?h - hoist ?c - crate ?a1 - storearea ?a2 - area ?p - place)
  :precondition (and (connected ?a1 ?a2) (at ?h ?a2) (lifting ?h ?c) (clear ?a1) (in ?a1 ?p))
  :effect (and (not (lifting ?h ?c)) (available ?h) (not (clear ?a1)) (on ?c ?a1) (in ?c ?p)))
 (:action move :parameters (?h - hoist ?from ?to - storearea)
  :precondition (and (at ?h ?from) (clear ?to) (connected ?from ?to))
  :effect (and (not (at ?h ?from)) (at ?h ?to) (not (clear ?to)) (clear ?from))))
"""
STORAGE_PROBLEM = """\
(define (problem storage-1) (:domain storage-propositional)
 (:objects a1 a2 a3 - storearea h - hoist c - crate ship - container shed - depot load - transitarea)
 (:init (connected a1 a2) (connected a2 a1) (connected a2 a3) (connected a3 a2) (connected a3 load)
  (connected load a3) (in a1 shed) (in a2 shed) (in a3 ship) (on c a3) (in c ship) (at h a2) (available h)
  (clear a1)){extra}
 (:goal (in c shed)))
"""
STORAGE_CLEAN = STORAGE.format(first=""), STORAGE_PROBLEM.format(extra="")

COSTS = """\
(define (domain d) (:requirements {flag}) (:constants k) (:predicates (p ?x) (q ?x)) (:functions (total-cost))
 (:action go :parameters (?x) :precondition (p ?x)
  :effect (and (q ?x) (not (p ?x)) (increase (total-cost) 2)))
 (:action back :parameters (?x) :precondition (q ?x) :effect (and (p ?x) (not (q ?x)))))
"""
COSTS_PROBLEM = """\
(define (problem one) (:domain d) (:objects a b{objects}) (:init (p a) (p k){init})
 (:goal (and (q a) (q k))))
"""
COSTS_CLEAN = (
    COSTS.format(flag=":strips :action-costs"),
    COSTS_PROBLEM.format(objects="", init=""),
)

#: Name → (the text as others write it, the clean text), each a domain and a problem.
TOLERATED: dict[str, tuple[tuple[str, str], tuple[str, str]]] = {
    "a type named twice, first wide": (
        (STORAGE.format(first="area "), STORAGE_CLEAN[1]),
        STORAGE_CLEAN,
    ),
    "a type named twice, first narrow": (
        (
            STORAGE.format(first="").replace("area crate - surface)", "area crate - surface area - object)"),
            STORAGE_CLEAN[1],
        ),
        STORAGE_CLEAN,
    ),
    "a type named twice alike": (
        (STORAGE.format(first="").replace("area crate -", "area area crate -"), STORAGE_CLEAN[1]),
        STORAGE_CLEAN,
    ),
    "false facts in the initial state": (
        (COSTS_CLEAN[0], COSTS_PROBLEM.format(objects="", init=" (not (p b)) (not (q a))")),
        COSTS_CLEAN,
    ),
    "an object named twice alike": (
        (COSTS_CLEAN[0], COSTS_PROBLEM.format(objects=" a", init="")),
        COSTS_CLEAN,
    ),
    "a constant named again": (
        (
            COSTS.format(flag=":strips :action-costs").replace("(:constants k)", "(:constants k k)"),
            COSTS_PROBLEM.format(objects=" k", init=""),
        ),
        COSTS_CLEAN,
    ),
    "numeric fluents for costs": (
        (COSTS.format(flag=":strips :numeric-fluents"), COSTS_CLEAN[1]),
        COSTS_CLEAN,
    ),
    "fluents for costs": ((COSTS.format(flag=":strips :fluents"), COSTS_CLEAN[1]), COSTS_CLEAN),
}
