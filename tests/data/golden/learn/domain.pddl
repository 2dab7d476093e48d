(define (domain termes)
  (:requirements :strips :typing :negative-preconditions :equality)
  (:types numb position)
  (:predicates
    (height ?p - position ?h - numb)
    (at ?p - position)
    (has-block)
    (succ ?n1 ?n2 - numb)
    (neighbor ?p1 ?p2 - position)
    (is-depot ?p - position))

  (:action create-block
    :parameters (?p - position)
    :precondition (and
      (at ?p)
      (not (has-block))
      (is-depot ?p))
    :effect (and
      (has-block)))

  (:action destroy-block
    :parameters (?p - position)
    :precondition (and
      (at ?p)
      (has-block)
      (is-depot ?p))
    :effect (and
      (not (has-block))))

  (:action move
    :parameters (?from ?to - position ?h - numb)
    :precondition (and
      (at ?from)
      (height ?from ?h)
      (height ?to ?h)
      (neighbor ?from ?to))
    :effect (and
      (not (at ?from))
      (at ?to)))

  (:action move-down
    :parameters (?from - position ?hfrom - numb ?to - position ?hto - numb)
    :precondition (and
      (at ?from)
      (height ?from ?hfrom)
      (height ?to ?hto)
      (neighbor ?from ?to)
      (succ ?hfrom ?hto))
    :effect (and
      (not (at ?from))
      (at ?to)))

  (:action move-up
    :parameters (?from - position ?hfrom - numb ?to - position ?hto - numb)
    :precondition (and
      (at ?from)
      (height ?from ?hfrom)
      (height ?to ?hto)
      (neighbor ?from ?to)
      (succ ?hto ?hfrom))
    :effect (and
      (not (at ?from))
      (at ?to)))

  (:action place-block
    :parameters (?rpos ?bpos - position ?hbefore ?hafter - numb)
    :precondition (and
      (at ?rpos)
      (has-block)
      (height ?bpos ?hbefore)
      (height ?rpos ?hbefore)
      (not (is-depot ?bpos))
      (neighbor ?rpos ?bpos)
      (succ ?hafter ?hbefore))
    :effect (and
      (not (has-block))
      (height ?bpos ?hafter)
      (not (height ?bpos ?hbefore))))

  (:action remove-block
    :parameters (?rpos ?bpos - position ?hbefore ?hafter - numb)
    :precondition (and
      (at ?rpos)
      (not (has-block))
      (height ?bpos ?hbefore)
      (height ?rpos ?hafter)
      (neighbor ?rpos ?bpos)
      (succ ?hbefore ?hafter))
    :effect (and
      (has-block)
      (height ?bpos ?hafter)
      (not (height ?bpos ?hbefore)))))
