(define (domain caving)
  (:requirements :strips :typing)
  (:types chamber caver lamp)
  (:predicates
    (passage ?a - chamber ?b - chamber)
    (inside ?c - caver ?r - chamber)
    (lies ?l - lamp ?r - chamber)
    (holds ?c - caver ?l - lamp)
    (charged ?l - lamp)
    (lit ?r - chamber))
  (:action crawl
    :parameters (?c - caver ?from - chamber ?to - chamber)
    :precondition (and (inside ?c ?from) (passage ?from ?to) (lit ?from))
    :effect (and (inside ?c ?to) (not (inside ?c ?from))))
  (:action take
    :parameters (?c - caver ?l - lamp ?r - chamber)
    :precondition (and (inside ?c ?r) (lies ?l ?r))
    :effect (and (holds ?c ?l) (not (lies ?l ?r))))
  (:action light
    :parameters (?c - caver ?l - lamp ?r - chamber)
    :precondition (and (inside ?c ?r) (holds ?c ?l) (charged ?l))
    :effect (and (lit ?r) (lies ?l ?r) (not (holds ?c ?l)) (not (charged ?l)))))
