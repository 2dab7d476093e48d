; Crates carried between depots and distributors by trucks, and stacked by hoists.
; Names and parameter orders as in the IPC-2002 Depots domain (typed STRIPS).
(define (domain depot)
  (:requirements :strips :typing)
  (:types
    place locatable - object
    depot distributor - place
    truck hoist surface - locatable
    pallet crate - surface)
  (:predicates
    (at ?x - locatable ?y - place)
    (on ?x - crate ?y - surface)
    (in ?x - crate ?y - truck)
    (lifting ?x - hoist ?y - crate)
    (available ?x - hoist)
    (clear ?x - surface))

  (:action drive
    :parameters (?x - truck ?y ?z - place)
    :precondition (at ?x ?y)
    :effect (and (at ?x ?z) (not (at ?x ?y))))

  (:action lift
    :parameters (?x - hoist ?y - crate ?z - surface ?p - place)
    :precondition (and (at ?x ?p) (available ?x) (at ?y ?p) (on ?y ?z) (clear ?y))
    :effect (and
      (lifting ?x ?y)
      (clear ?z)
      (not (at ?y ?p))
      (not (on ?y ?z))
      (not (clear ?y))
      (not (available ?x))))

  (:action drop
    :parameters (?x - hoist ?y - crate ?z - surface ?p - place)
    :precondition (and (at ?x ?p) (at ?z ?p) (clear ?z) (lifting ?x ?y))
    :effect (and
      (at ?y ?p)
      (on ?y ?z)
      (clear ?y)
      (available ?x)
      (not (lifting ?x ?y))
      (not (clear ?z))))

  (:action load
    :parameters (?x - hoist ?y - crate ?z - truck ?p - place)
    :precondition (and (at ?x ?p) (at ?z ?p) (lifting ?x ?y))
    :effect (and (in ?y ?z) (available ?x) (not (lifting ?x ?y))))

  (:action unload
    :parameters (?x - hoist ?y - crate ?z - truck ?p - place)
    :precondition (and (at ?x ?p) (at ?z ?p) (available ?x) (in ?y ?z))
    :effect (and (lifting ?x ?y) (not (in ?y ?z)) (not (available ?x)))))
