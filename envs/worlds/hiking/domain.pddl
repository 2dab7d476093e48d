; Hiking: couples walk from place to place in stages, and cars bring the tents ahead of them.
; Names and parameter orders are those of the planning competition of 2014.
(define (domain hiking)
  (:requirements :strips :typing :equality :negative-preconditions)
  (:types car tent person couple place)
  (:predicates
    (at_tent ?t - tent ?p - place)
    (at_person ?h - person ?p - place)
    (at_car ?c - car ?p - place)
    (partners ?k - couple ?h1 ?h2 - person)
    (up ?t - tent)
    (down ?t - tent)
    (walked ?k - couple ?p - place)
    (next ?p1 ?p2 - place))

  (:action put_down
    :parameters (?h - person ?p - place ?t - tent)
    :precondition (and (at_person ?h ?p) (at_tent ?t ?p) (up ?t))
    :effect (and (down ?t) (not (up ?t))))

  (:action put_up
    :parameters (?h - person ?p - place ?t - tent)
    :precondition (and (at_person ?h ?p) (at_tent ?t ?p) (down ?t))
    :effect (and (up ?t) (not (down ?t))))

  (:action drive_passenger
    :parameters (?driver - person ?from ?to - place ?c - car ?passenger - person)
    :precondition (and (at_person ?driver ?from) (at_car ?c ?from) (at_person ?passenger ?from)
                       (not (= ?driver ?passenger)))
    :effect (and (at_person ?driver ?to) (not (at_person ?driver ?from))
                 (at_car ?c ?to) (not (at_car ?c ?from))
                 (at_person ?passenger ?to) (not (at_person ?passenger ?from))))

  (:action drive
    :parameters (?driver - person ?from ?to - place ?c - car)
    :precondition (and (at_person ?driver ?from) (at_car ?c ?from))
    :effect (and (at_person ?driver ?to) (not (at_person ?driver ?from))
                 (at_car ?c ?to) (not (at_car ?c ?from))))

  (:action drive_tent
    :parameters (?driver - person ?from ?to - place ?c - car ?t - tent)
    :precondition (and (at_person ?driver ?from) (at_car ?c ?from) (at_tent ?t ?from) (down ?t))
    :effect (and (at_person ?driver ?to) (not (at_person ?driver ?from))
                 (at_car ?c ?to) (not (at_car ?c ?from))
                 (at_tent ?t ?to) (not (at_tent ?t ?from))))

  (:action drive_tent_passenger
    :parameters (?driver - person ?from ?to - place ?c - car ?t - tent ?passenger - person)
    :precondition (and (at_person ?driver ?from) (at_car ?c ?from) (at_tent ?t ?from) (down ?t)
                       (at_person ?passenger ?from) (not (= ?driver ?passenger)))
    :effect (and (at_person ?driver ?to) (not (at_person ?driver ?from))
                 (at_car ?c ?to) (not (at_car ?c ?from))
                 (at_tent ?t ?to) (not (at_tent ?t ?from))
                 (at_person ?passenger ?to) (not (at_person ?passenger ?from))))

  (:action walk_together
    :parameters (?t - tent ?to - place ?h1 - person ?from - place ?h2 - person ?k - couple)
    :precondition (and (at_tent ?t ?to) (up ?t) (at_person ?h1 ?from) (next ?from ?to)
                       (at_person ?h2 ?from) (not (= ?h1 ?h2)) (walked ?k ?from)
                       (partners ?k ?h1 ?h2))
    :effect (and (at_person ?h1 ?to) (not (at_person ?h1 ?from))
                 (at_person ?h2 ?to) (not (at_person ?h2 ?from))
                 (walked ?k ?to) (not (walked ?k ?from)))))
