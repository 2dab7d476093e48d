(define (domain bakery-night-shift)
  (:requirements :strips :typing :negative-preconditions :equality)
  (:types
    appliance baker amount portable - object
    dough tray - portable
    mixer oven bench - appliance
    rack - bench)
  (:predicates
    (beside ?b - baker ?a - appliance)
    (on ?x - portable ?c - bench)
    (holding ?b - baker ?x - portable)
    (busy ?b - baker)
    (stock ?n - amount)
    (one-less ?m ?n - amount)
    (full ?x - (either mixer tray))
    (kneaded ?d - dough)
    (in-tray ?d - dough ?t - tray)
    (hot ?o - oven)
    (baked ?d - dough))

  (:action go
    :parameters (?b - baker ?from ?to - appliance)
    :precondition (and (beside ?b ?from) (not (= ?from ?to)))
    :effect (and (beside ?b ?to) (not (beside ?b ?from))))

  (:action charge-mixer
    :parameters (?b - baker ?m - mixer ?n ?rest - amount)
    :precondition (and (beside ?b ?m) (not (busy ?b)) (not (full ?m))
                       (stock ?n) (one-less ?rest ?n))
    :effect (and (full ?m) (stock ?rest) (not (stock ?n))))

  (:action knead
    :parameters (?b - baker ?d - dough ?m - mixer)
    :precondition (and (beside ?b ?m) (full ?m) (not (kneaded ?d)) (not (busy ?b)))
    :effect (and (kneaded ?d) (holding ?b ?d) (busy ?b) (not (full ?m))))

  (:action pick-up
    :parameters (?b - baker ?x - portable ?c - bench)
    :precondition (and (beside ?b ?c) (on ?x ?c) (not (busy ?b)))
    :effect (and (holding ?b ?x) (busy ?b) (not (on ?x ?c))))

  (:action set-down
    :parameters (?b - baker ?x - portable ?c - bench)
    :precondition (and (beside ?b ?c) (holding ?b ?x))
    :effect (and (on ?x ?c) (not (holding ?b ?x)) (not (busy ?b))))

  (:action lay
    :parameters (?b - baker ?d - dough ?t - tray ?c - bench)
    :precondition (and (beside ?b ?c) (holding ?b ?d) (on ?t ?c) (not (full ?t)))
    :effect (and (in-tray ?d ?t) (full ?t) (not (holding ?b ?d)) (not (busy ?b))))

  (:action heat
    :parameters (?b - baker ?o - oven)
    :precondition (and (beside ?b ?o) (not (hot ?o)))
    :effect (hot ?o))

  (:action bake
    :parameters (?b - baker ?d - dough ?t - tray ?o - oven)
    :precondition (and (beside ?b ?o) (hot ?o) (holding ?b ?t) (in-tray ?d ?t) (not (baked ?d)))
    :effect (baked ?d))

  (:action tip-out
    :parameters (?b - baker ?d - dough ?t - tray ?r - rack)
    :precondition (and (beside ?b ?r) (holding ?b ?t) (in-tray ?d ?t) (baked ?d))
    :effect (and (on ?d ?r) (not (in-tray ?d ?t)) (not (full ?t)))))
