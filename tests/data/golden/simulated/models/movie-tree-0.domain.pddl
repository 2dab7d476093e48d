(define (domain movie)
  (:requirements :strips :typing :negative-preconditions)
  (:predicates
    (movie-rewound)
    (counter-at-two-hours)
    (counter-at-other-than-two-hours)
    (counter-at-zero)
    (have-chips)
    (have-dip)
    (have-pop)
    (have-cheese)
    (have-crackers)
    (chips ?x)
    (dip ?x)
    (pop ?x)
    (cheese ?x)
    (crackers ?x))

  (:action rewind-movie-2
    :parameters ()
    :precondition (and
      (counter-at-two-hours))
    :effect (and
      (movie-rewound)))

  (:action rewind-movie
    :parameters ()
    :precondition (and
      (counter-at-other-than-two-hours))
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
      (pop ?x)
      (not (dip ?x)))
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
