; Storage: hoists move crates from containers into depots through narrow aisles of store areas.
; Names and parameter orders are those of the planning competition of 2006 (propositional, typed); there the
; first argument of `in` is a store area or a crate, here it has the type above both.
(define (domain storage-propositional)
  (:requirements :strips :typing)
  (:types
    hoist surface place - object
    container depot - place
    area crate - surface
    storearea transitarea - area)
  (:predicates
    (clear ?s - storearea)
    (in ?x - surface ?p - place)
    (available ?h - hoist)
    (lifting ?h - hoist ?c - crate)
    (at ?h - hoist ?a - area)
    (on ?c - crate ?s - storearea)
    (connected ?a1 ?a2 - area)
    (compatible ?c1 ?c2 - crate))

  (:action lift
    :parameters (?h - hoist ?c - crate ?a1 - storearea ?a2 - area ?p - place)
    :precondition (and (connected ?a1 ?a2) (at ?h ?a2) (available ?h) (on ?c ?a1) (in ?a1 ?p))
    :effect (and (lifting ?h ?c) (clear ?a1) (not (on ?c ?a1)) (not (available ?h)) (not (in ?c ?p))))

  (:action drop
    :parameters (?h - hoist ?c - crate ?a1 - storearea ?a2 - area ?p - place)
    :precondition (and (connected ?a1 ?a2) (at ?h ?a2) (lifting ?h ?c) (clear ?a1) (in ?a1 ?p))
    :effect (and (on ?c ?a1) (available ?h) (in ?c ?p) (not (lifting ?h ?c)) (not (clear ?a1))))

  (:action move
    :parameters (?h - hoist ?from ?to - storearea)
    :precondition (and (at ?h ?from) (clear ?to) (connected ?from ?to))
    :effect (and (at ?h ?to) (clear ?from) (not (at ?h ?from)) (not (clear ?to))))

  (:action go-out
    :parameters (?h - hoist ?from - storearea ?to - transitarea)
    :precondition (and (at ?h ?from) (connected ?from ?to))
    :effect (and (at ?h ?to) (clear ?from) (not (at ?h ?from))))

  (:action go-in
    :parameters (?h - hoist ?from - transitarea ?to - storearea)
    :precondition (and (at ?h ?from) (connected ?from ?to) (clear ?to))
    :effect (and (at ?h ?to) (not (at ?h ?from)) (not (clear ?to)))))
