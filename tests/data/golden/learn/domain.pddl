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
      (is-depot ?p)
      (not (neighbor ?p ?p)))
    :effect (and
      (has-block)))

  (:action destroy-block
    :parameters (?p - position)
    :precondition (and
      (at ?p)
      (has-block)
      (is-depot ?p)
      (not (neighbor ?p ?p)))
    :effect (and
      (not (has-block))))

  (:action move
    :parameters (?from ?to - position ?h - numb)
    :precondition (and
      (not (= ?from ?to))
      (at ?from)
      (height ?from ?h)
      (height ?to ?h)
      (not (neighbor ?from ?from))
      (neighbor ?from ?to)
      (not (neighbor ?to ?to))
      (not (succ ?h ?h)))
    :effect (and
      (not (at ?from))
      (at ?to)))

  (:action move-down
    :parameters (?from - position ?hfrom - numb ?to - position ?hto - numb)
    :precondition (and
      (not (= ?from ?to))
      (not (= ?hfrom ?hto))
      (at ?from)
      (height ?from ?hfrom)
      (height ?to ?hto)
      (not (is-depot ?from))
      (not (neighbor ?from ?from))
      (neighbor ?from ?to)
      (not (neighbor ?to ?to))
      (not (succ ?hfrom ?hfrom))
      (succ ?hfrom ?hto)
      (not (succ ?hto ?hfrom))
      (not (succ ?hto ?hto)))
    :effect (and
      (not (at ?from))
      (at ?to)))

  (:action move-up
    :parameters (?from - position ?hfrom - numb ?to - position ?hto - numb)
    :precondition (and
      (not (= ?from ?to))
      (not (= ?hfrom ?hto))
      (at ?from)
      (height ?from ?hfrom)
      (height ?to ?hto)
      (not (is-depot ?to))
      (not (neighbor ?from ?from))
      (neighbor ?from ?to)
      (not (neighbor ?to ?to))
      (not (succ ?hfrom ?hfrom))
      (not (succ ?hfrom ?hto))
      (succ ?hto ?hfrom)
      (not (succ ?hto ?hto)))
    :effect (and
      (not (at ?from))
      (at ?to)))

  (:action place-block
    :parameters (?rpos ?bpos - position ?hbefore ?hafter - numb)
    :precondition (and
      (not (= ?hbefore ?hafter))
      (not (= ?rpos ?bpos))
      (at ?rpos)
      (has-block)
      (height ?bpos ?hbefore)
      (height ?rpos ?hbefore)
      (not (is-depot ?bpos))
      (not (neighbor ?bpos ?bpos))
      (neighbor ?rpos ?bpos)
      (not (neighbor ?rpos ?rpos))
      (not (succ ?hafter ?hafter))
      (succ ?hafter ?hbefore)
      (not (succ ?hbefore ?hafter))
      (not (succ ?hbefore ?hbefore)))
    :effect (and
      (not (has-block))
      (height ?bpos ?hafter)
      (not (height ?bpos ?hbefore))))

  (:action remove-block
    :parameters (?rpos ?bpos - position ?hbefore ?hafter - numb)
    :precondition (and
      (not (= ?hbefore ?hafter))
      (not (= ?rpos ?bpos))
      (at ?rpos)
      (not (has-block))
      (height ?bpos ?hbefore)
      (height ?rpos ?hafter)
      (not (is-depot ?bpos))
      (not (neighbor ?bpos ?bpos))
      (neighbor ?rpos ?bpos)
      (not (neighbor ?rpos ?rpos))
      (not (succ ?hafter ?hafter))
      (not (succ ?hafter ?hbefore))
      (succ ?hbefore ?hafter)
      (not (succ ?hbefore ?hbefore)))
    :effect (and
      (has-block)
      (height ?bpos ?hafter)
      (not (height ?bpos ?hbefore)))))
