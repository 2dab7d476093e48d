;; Mobile robots deliver medicine and sterile sets in a hospital.
;; Untyped version: types are unary static predicates.
(define (domain hospital-courier)
  (:requirements :strips :negative-preconditions :equality)
  (:predicates
    (robot ?x) (room ?x) (nurse ?x) (item ?x)
    (corridor ?a ?b)
    (allowed ?rob ?room)          ; service area of a robot
    (isolation ?room)
    (washroom ?room)
    (guard-desk ?room)
    (at ?x ?room)
    (holds ?rob ?i)
    (free ?rob)
    (sterile ?i)
    (clean ?rob)
    (authorised ?rob)
    (received ?n ?i))

  (:action drive
    :parameters (?rob ?from ?to)
    :precondition (and (robot ?rob) (room ?from) (room ?to)
                       (at ?rob ?from) (corridor ?from ?to)
                       (allowed ?rob ?to)
                       (not (isolation ?to)))
    :effect (and (at ?rob ?to) (not (at ?rob ?from))))

  (:action enter-isolation
    :parameters (?rob ?from ?to)
    :precondition (and (robot ?rob) (room ?from) (room ?to)
                       (at ?rob ?from) (corridor ?from ?to)
                       (allowed ?rob ?to)
                       (isolation ?to) (authorised ?rob))
    :effect (and (at ?rob ?to) (not (at ?rob ?from))
                 (not (clean ?rob))))

  (:action get-badge
    :parameters (?rob ?r)
    :precondition (and (robot ?rob) (room ?r) (at ?rob ?r)
                       (guard-desk ?r) (not (authorised ?rob)))
    :effect (authorised ?rob))

  (:action sanitise
    :parameters (?rob ?r)
    :precondition (and (robot ?rob) (room ?r) (at ?rob ?r)
                       (washroom ?r) (free ?rob))
    :effect (clean ?rob))

  (:action pick-up
    :parameters (?rob ?i ?r)
    :precondition (and (robot ?rob) (item ?i) (room ?r)
                       (at ?rob ?r) (at ?i ?r) (free ?rob)
                       (not (sterile ?i)))
    :effect (and (holds ?rob ?i) (not (at ?i ?r)) (not (free ?rob))))

  (:action pick-up-sterile
    :parameters (?rob ?i ?r)
    :precondition (and (robot ?rob) (item ?i) (room ?r)
                       (at ?rob ?r) (at ?i ?r) (free ?rob)
                       (sterile ?i) (clean ?rob))
    :effect (and (holds ?rob ?i) (not (at ?i ?r)) (not (free ?rob))))

  (:action put-down
    :parameters (?rob ?i ?r)
    :precondition (and (robot ?rob) (item ?i) (room ?r)
                       (at ?rob ?r) (holds ?rob ?i))
    :effect (and (at ?i ?r) (free ?rob) (not (holds ?rob ?i))))

  (:action hand-over
    :parameters (?rob ?i ?n ?r)
    :precondition (and (robot ?rob) (item ?i) (nurse ?n) (room ?r)
                       (at ?rob ?r) (at ?n ?r) (holds ?rob ?i))
    :effect (and (received ?n ?i) (free ?rob) (not (holds ?rob ?i))))

  (:action transfer
    :parameters (?giver ?taker ?i ?r)
    :precondition (and (robot ?giver) (robot ?taker) (item ?i) (room ?r)
                       (not (= ?giver ?taker))
                       (at ?giver ?r) (at ?taker ?r)
                       (holds ?giver ?i) (free ?taker))
    :effect (and (holds ?taker ?i) (not (free ?taker))
                 (free ?giver) (not (holds ?giver ?i)))))
