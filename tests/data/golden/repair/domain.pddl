(define (domain termes)
  (:requirements :typing :negative-preconditions)
  (:types numb position)
  (:predicates
    (height ?p - position ?h - numb)
    (at ?p - position)
    (has-block)
    (succ ?n1 ?n2 - numb)
    (neighbor ?p1 ?p2 - position)
    (is-depot ?p - position))
  (:action move
    :parameters (?from ?to - position ?h - numb)
    :precondition
      (and (at ?from) (neighbor ?from ?to) (height ?from ?h) (height ?to ?h))
    :effect
      (and (not (at ?from)) (at ?to)))
  (:action move-up
    :parameters (?from - position ?hfrom - numb ?to - position ?hto - numb)
    :precondition
      (and (at ?from) (neighbor ?from ?to) (height ?from ?hfrom) (height ?to ?hto) (succ ?hto ?hfrom))
    :effect
      (and (not (at ?from)) (at ?to)))
  (:action move-down
    :parameters (?from - position ?hfrom - numb ?to - position ?hto - numb)
    :precondition
      (and (at ?from) (neighbor ?from ?to) (height ?from ?hfrom) (height ?to ?hto) (succ ?hfrom ?hto))
    :effect
      (and (at ?to) (not (at ?from))))
  (:action place-block
    :parameters (?rpos ?bpos - position ?hbefore ?hafter - numb)
    :precondition
      (and
        (at ?rpos)
        (neighbor ?rpos ?bpos)
        (height ?rpos ?hbefore)
        (height ?bpos ?hbefore)
        (succ ?hafter ?hbefore)
        (has-block)
        (not (is-depot ?bpos)))
    :effect
      (and (not (height ?bpos ?hbefore)) (height ?bpos ?hafter) (not (has-block))))
  (:action remove-block
    :parameters (?rpos ?bpos - position ?hbefore ?hafter - numb)
    :precondition
      (and
        (at ?rpos)
        (neighbor ?rpos ?bpos)
        (height ?rpos ?hafter)
        (succ ?hbefore ?hafter)
        (not (has-block))
        (height ?bpos ?hbefore))
    :effect
      (and (not (height ?bpos ?hbefore)) (height ?bpos ?hafter) (has-block)))
  (:action create-block
    :parameters (?p - position)
    :precondition
      (and (at ?p) (is-depot ?p) (not (has-block)))
    :effect
      (has-block))
  (:action destroy-block
    :parameters (?p - position)
    :precondition
      (and (at ?p) (is-depot ?p) (has-block))
    :effect
      (not (has-block))))
