(define (domain vineyard-harvest)
  (:requirements :strips :typing)
  (:types
    place locatable variety - object
    row yard - place
    worker cart press item - locatable
    shears crate - item)
  (:predicates
    (at ?x - locatable ?p - place)
    (path ?a ?b - place)
    (track ?a ?b - place)
    (overgrown ?r - row)
    (tended ?r - row)
    (bears ?r - row ?v - variety)
    (has ?w - worker ?s - shears)
    (hands-free ?w - worker)
    (empty ?c - crate)
    (holds ?c - crate ?v - variety)
    (on ?c - crate ?t - cart)
    (cart-free ?t - cart)
    (pressed ?v - variety))

  (:action walk
    :parameters (?w - worker ?a ?b - place)
    :precondition (and (at ?w ?a) (path ?a ?b))
    :effect (and (at ?w ?b) (not (at ?w ?a))))

  (:action take-shears
    :parameters (?w - worker ?s - shears ?p - place)
    :precondition (and (at ?w ?p) (at ?s ?p) (hands-free ?w))
    :effect (and (has ?w ?s) (not (at ?s ?p)) (not (hands-free ?w))))

  (:action drop-shears
    :parameters (?w - worker ?s - shears ?p - place)
    :precondition (and (at ?w ?p) (has ?w ?s))
    :effect (and (at ?s ?p) (hands-free ?w) (not (has ?w ?s))))

  (:action prune
    :parameters (?w - worker ?s - shears ?r - row)
    :precondition (and (at ?w ?r) (has ?w ?s) (overgrown ?r))
    :effect (and (tended ?r) (not (overgrown ?r))))

  (:action pick-grapes
    :parameters (?w - worker ?r - row ?c - crate ?v - variety)
    :precondition (and (at ?w ?r) (at ?c ?r) (hands-free ?w) (tended ?r)
                       (bears ?r ?v) (empty ?c))
    :effect (and (holds ?c ?v) (not (empty ?c)) (not (bears ?r ?v))))

  (:action load
    :parameters (?w - worker ?c - crate ?t - cart ?p - place)
    :precondition (and (at ?w ?p) (at ?c ?p) (at ?t ?p) (hands-free ?w) (cart-free ?t))
    :effect (and (on ?c ?t) (not (at ?c ?p)) (not (cart-free ?t))))

  (:action haul
    :parameters (?w - worker ?t - cart ?a ?b - place)
    :precondition (and (at ?w ?a) (at ?t ?a) (hands-free ?w) (track ?a ?b))
    :effect (and (at ?w ?b) (at ?t ?b) (not (at ?w ?a)) (not (at ?t ?a))))

  (:action unload
    :parameters (?w - worker ?c - crate ?t - cart ?p - place)
    :precondition (and (at ?w ?p) (at ?t ?p) (on ?c ?t) (hands-free ?w))
    :effect (and (at ?c ?p) (cart-free ?t) (not (on ?c ?t))))

  (:action crush
    :parameters (?c - crate ?m - press ?v - variety ?y - yard)
    :precondition (and (at ?c ?y) (at ?m ?y) (holds ?c ?v))
    :effect (and (pressed ?v) (empty ?c) (not (holds ?c ?v)))))
