(define (domain movie)
  (:requirements :strips :typing :negative-preconditions)
  (:predicates
    (counter-at-two-hours)
    (counter-at-zero)
    (movie-rewound)
    (chips ?x - object)
    (dip ?x - object)
    (pop ?x - object)
    (cheese ?x - object)
    (crackers ?x - object)
    (have-chips)
    (have-dip)
    (have-pop)
    (have-cheese)
    (have-crackers))

  (:action rewind-movie-2
    :parameters ()
    :precondition (and
      (counter-at-two-hours))
    :effect (and
      (movie-rewound)))

  (:action rewind-movie
    :parameters ()
    :precondition (and
      (not (counter-at-two-hours)))
    :effect (and
      (movie-rewound)
      (not (counter-at-zero))))

  (:action reset-counter
    :parameters ()
    :precondition ()
    :effect (and
      (counter-at-zero)))

  (:action get-chips
    :parameters (?x)
    :precondition (and
      (chips ?x))
    :effect (and
      (have-chips)))

  (:action get-dip
    :parameters (?x)
    :precondition (and
      (dip ?x))
    :effect (and
      (have-dip)))

  (:action get-pop
    :parameters (?x)
    :precondition (and
      (pop ?x))
    :effect (and
      (have-pop)))

  (:action get-cheese
    :parameters (?x)
    :precondition (and
      (cheese ?x))
    :effect (and
      (have-cheese)))

  (:action get-crackers
    :parameters (?x)
    :precondition (and
      (crackers ?x))
    :effect (and
      (have-crackers))))
