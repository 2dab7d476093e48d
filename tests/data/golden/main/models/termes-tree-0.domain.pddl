(define (domain termes)
  (:requirements :strips :typing :negative-preconditions)
  (:types numb position)
  (:predicates
    (height ?p - position ?h - numb)
    (robot-at ?p - position)
    (succ ?big - numb ?small - numb)
    (neighbour ?p - position ?q - position)
    (depot ?p - position)
    (not-depot ?p - position)
    (hands-free)
    (carrying))

  (:action move
    :parameters (?from ?to - position ?h - numb)
    :precondition (and
      (robot-at ?from)
      (neighbour ?from ?to)
      (height ?from ?h)
      (height ?to ?h))
    :effect (and
      (not (robot-at ?from))
      (robot-at ?to)))

  (:action move-up
    :parameters (?from - position ?hfrom - numb ?to - position ?hto - numb)
    :precondition (and
      (robot-at ?from)
      (neighbour ?from ?to)
      (height ?from ?hfrom)
      (height ?to ?hto)
      (succ ?hto ?hfrom))
    :effect (and
      (not (robot-at ?from))
      (robot-at ?to)))

  (:action move-down
    :parameters (?from - position ?hfrom - numb ?to - position ?hto - numb)
    :precondition (and
      (robot-at ?from)
      (neighbour ?from ?to)
      (height ?from ?hfrom)
      (height ?to ?hto)
      (succ ?hfrom ?hto))
    :effect (and
      (not (robot-at ?from))
      (robot-at ?to)))

  (:action place-block
    :parameters (?rpos ?bpos - position ?hbefore ?hafter - numb)
    :precondition (and
      (robot-at ?rpos)
      (carrying)
      (neighbour ?rpos ?bpos)
      (height ?rpos ?hbefore)
      (height ?bpos ?hbefore)
      (succ ?hafter ?hbefore)
      (not-depot ?bpos))
    :effect (and
      (not (height ?bpos ?hbefore))
      (height ?bpos ?hafter)
      (not (carrying))
      (hands-free)))

  (:action remove-block
    :parameters (?rpos ?bpos - position ?hbefore ?hafter - numb)
    :precondition (and
      (robot-at ?rpos)
      (hands-free)
      (neighbour ?rpos ?bpos)
      (height ?bpos ?hbefore)
      (height ?rpos ?hafter)
      (succ ?hbefore ?hafter))
    :effect (and
      (not (height ?bpos ?hbefore))
      (height ?bpos ?hafter)
      (carrying)
      (not (hands-free))))

  (:action create-block
    :parameters (?p - position)
    :precondition (and
      (robot-at ?p)
      (depot ?p)
      (hands-free))
    :effect (and
      (carrying)
      (not (hands-free))))

  (:action destroy-block
    :parameters (?p - position)
    :precondition (and
      (robot-at ?p)
      (depot ?p)
      (carrying))
    :effect (and
      (not (carrying))
      (hands-free))))
