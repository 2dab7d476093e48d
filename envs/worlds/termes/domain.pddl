; A climbing robot builds towers of blocks. Names and parameter orders as in the IPC-2018 Termes domain.
(define (domain termes)
  (:requirements :typing :negative-preconditions)
  (:types numb position - object)
  (:predicates
    (height ?p - position ?h - numb)
    (at ?p - position)
    (has-block)
    (SUCC ?n1 ?n2 - numb)
    (NEIGHBOR ?p1 ?p2 - position)
    (IS-DEPOT ?p - position))

  (:action move
    :parameters (?from ?to - position ?h - numb)
    :precondition (and (at ?from) (NEIGHBOR ?from ?to) (height ?from ?h) (height ?to ?h))
    :effect (and (not (at ?from)) (at ?to)))

  (:action move-up
    :parameters (?from - position ?hfrom - numb ?to - position ?hto - numb)
    :precondition (and (at ?from) (NEIGHBOR ?from ?to)
                       (height ?from ?hfrom) (height ?to ?hto) (SUCC ?hto ?hfrom))
    :effect (and (not (at ?from)) (at ?to)))

  (:action move-down
    :parameters (?from - position ?hfrom - numb ?to - position ?hto - numb)
    :precondition (and (at ?from) (NEIGHBOR ?from ?to)
                       (height ?from ?hfrom) (height ?to ?hto) (SUCC ?hfrom ?hto))
    :effect (and (not (at ?from)) (at ?to)))

  (:action place-block
    :parameters (?rpos ?bpos - position ?hbefore ?hafter - numb)
    :precondition (and (at ?rpos) (NEIGHBOR ?rpos ?bpos)
                       (height ?rpos ?hbefore) (height ?bpos ?hbefore) (SUCC ?hafter ?hbefore)
                       (has-block) (not (IS-DEPOT ?bpos)))
    :effect (and (not (height ?bpos ?hbefore)) (height ?bpos ?hafter) (not (has-block))))

  (:action remove-block
    :parameters (?rpos ?bpos - position ?hbefore ?hafter - numb)
    :precondition (and (at ?rpos) (NEIGHBOR ?rpos ?bpos)
                       (height ?rpos ?hafter) (height ?bpos ?hbefore) (SUCC ?hbefore ?hafter)
                       (not (has-block)))
    :effect (and (not (height ?bpos ?hbefore)) (height ?bpos ?hafter) (has-block)))

  (:action create-block
    :parameters (?p - position)
    :precondition (and (at ?p) (IS-DEPOT ?p) (not (has-block)))
    :effect (has-block))

  (:action destroy-block
    :parameters (?p - position)
    :precondition (and (at ?p) (IS-DEPOT ?p) (has-block))
    :effect (not (has-block))))
