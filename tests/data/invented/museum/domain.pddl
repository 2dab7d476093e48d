(define (domain museum-relocation)
  (:requirements :strips :typing :negative-preconditions :disjunctive-preconditions :action-costs)
  (:types
    room movable - object
    staff exhibit crate - movable
    handler registrar - staff
    painting sculpture - exhibit)
  (:constants security - room)
  (:predicates
    (at ?x - movable ?r - room)
    (door ?a ?b - room)
    (stairs ?a ?b - room)
    (armed ?r - room)
    (logged ?e - exhibit)
    (fragile ?e - exhibit)
    (fits ?e - exhibit ?c - crate)
    (inside ?e - exhibit ?c - crate)
    (in-use ?c - crate)
    (padded ?c - crate))
  (:functions (total-cost) - number)

  (:action walk
    :parameters (?s - staff ?a ?b - room)
    :precondition (and (at ?s ?a)
                       (or (door ?a ?b) (door ?b ?a) (stairs ?a ?b) (stairs ?b ?a)))
    :effect (and (at ?s ?b) (not (at ?s ?a)) (increase (total-cost) 1)))

  (:action disarm
    :parameters (?g - registrar ?r - room)
    :precondition (and (armed ?r) (or (at ?g ?r) (at ?g security)))
    :effect (and (not (armed ?r)) (increase (total-cost) 1)))

  (:action arm
    :parameters (?g - registrar ?r - room)
    :precondition (and (not (armed ?r)) (or (at ?g ?r) (at ?g security)))
    :effect (and (armed ?r) (increase (total-cost) 1)))

  (:action log-condition
    :parameters (?g - registrar ?e - exhibit ?r - room)
    :precondition (and (at ?g ?r) (at ?e ?r) (not (logged ?e)))
    :effect (and (logged ?e) (increase (total-cost) 1)))

  (:action pad
    :parameters (?s - staff ?c - crate ?r - room)
    :precondition (and (at ?s ?r) (at ?c ?r) (not (in-use ?c)) (not (padded ?c)))
    :effect (and (padded ?c) (increase (total-cost) 1)))

  (:action pack
    :parameters (?h - handler ?e - exhibit ?c - crate ?r - room)
    :precondition (and (at ?h ?r) (at ?e ?r) (at ?c ?r) (fits ?e ?c)
                       (logged ?e) (not (in-use ?c)) (not (armed ?r))
                       (or (not (fragile ?e)) (padded ?c)))
    :effect (and (inside ?e ?c) (in-use ?c) (not (at ?e ?r)) (increase (total-cost) 1)))

  (:action wheel
    :parameters (?h - handler ?c - crate ?a ?b - room)
    :precondition (and (at ?h ?a) (at ?c ?a) (or (door ?a ?b) (door ?b ?a)) (not (armed ?b)))
    :effect (and (at ?h ?b) (at ?c ?b) (not (at ?h ?a)) (not (at ?c ?a))
                 (increase (total-cost) 1)))

  (:action unpack
    :parameters (?h - handler ?e - exhibit ?c - crate ?r - room)
    :precondition (and (at ?h ?r) (at ?c ?r) (inside ?e ?c) (not (armed ?r)))
    :effect (and (at ?e ?r) (not (inside ?e ?c)) (not (in-use ?c)) (not (padded ?c))
                 (increase (total-cost) 1))))
