(define (domain cableway)
  (:requirements :strips :typing)
  (:types station cabin parcel)
  (:predicates
    (cable ?from - station ?to - station)
    (docked ?c - cabin ?s - station)
    (vacant ?c - cabin)
    (waiting ?p - parcel ?s - station)
    (aboard ?p - parcel ?c - cabin))
  (:action ride
    :parameters (?c - cabin ?from - station ?to - station)
    :precondition (and (docked ?c ?from) (cable ?from ?to))
    :effect (and (docked ?c ?to) (not (docked ?c ?from))))
  (:action load
    :parameters (?p - parcel ?c - cabin ?s - station)
    :precondition (and (waiting ?p ?s) (docked ?c ?s) (vacant ?c))
    :effect (and (aboard ?p ?c) (not (waiting ?p ?s)) (not (vacant ?c))))
  (:action unload
    :parameters (?p - parcel ?c - cabin ?s - station)
    :precondition (and (aboard ?p ?c) (docked ?c ?s))
    :effect (and (waiting ?p ?s) (vacant ?c) (not (aboard ?p ?c)))))
