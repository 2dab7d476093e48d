(define (domain harbour)
  (:requirements :strips :typing)
  (:types quay yard vehicle crate - object
          barge truck - vehicle)
  (:predicates
    (canal ?a - quay ?b - quay)
    (road ?a - yard ?b - yard)
    (joins ?y - yard ?q - quay)
    (moored ?b - barge ?q - quay)
    (parked ?t - truck ?y - yard)
    (on-quay ?c - crate ?q - quay)
    (loaded ?c - crate ?v - vehicle)
    (in-yard ?c - crate ?y - yard))
  (:action sail
    :parameters (?b - barge ?from - quay ?to - quay)
    :precondition (and (moored ?b ?from) (canal ?from ?to))
    :effect (and (moored ?b ?to) (not (moored ?b ?from))))
  (:action drive
    :parameters (?t - truck ?from - yard ?to - yard)
    :precondition (and (parked ?t ?from) (road ?from ?to))
    :effect (and (parked ?t ?to) (not (parked ?t ?from))))
  (:action hoist
    :parameters (?c - crate ?b - barge ?q - quay)
    :precondition (and (on-quay ?c ?q) (moored ?b ?q))
    :effect (and (loaded ?c ?b) (not (on-quay ?c ?q))))
  (:action land
    :parameters (?c - crate ?b - barge ?q - quay)
    :precondition (and (loaded ?c ?b) (moored ?b ?q))
    :effect (and (on-quay ?c ?q) (not (loaded ?c ?b))))
  (:action fetch
    :parameters (?c - crate ?t - truck ?y - yard ?q - quay)
    :precondition (and (on-quay ?c ?q) (joins ?y ?q) (parked ?t ?y))
    :effect (and (loaded ?c ?t) (not (on-quay ?c ?q))))
  (:action drop
    :parameters (?c - crate ?t - truck ?y - yard)
    :precondition (and (loaded ?c ?t) (parked ?t ?y))
    :effect (and (in-yard ?c ?y) (not (loaded ?c ?t)))))
