(define (domain blocksworld_ood)
  (:requirements :strips :typing :negative-preconditions)
  (:predicates
    (on ?x - object ?y - object)
    (on-table ?x - object)
    (clear ?x - object)
    (hand-empty)
    (holding ?x - object)
    (upright ?x - object))

  (:action pick-up
    :parameters (?x)
    :precondition (and
      (on-table ?x)
      (clear ?x)
      (hand-empty))
    :effect (and
      (holding ?x)
      (not (on-table ?x))
      (not (clear ?x))
      (not (hand-empty))))

  (:action put-down
    :parameters (?x)
    :precondition (and
      (holding ?x))
    :effect (and
      (on-table ?x)
      (clear ?x)
      (hand-empty)
      (not (holding ?x))))

  (:action set-upright
    :parameters (?x)
    :precondition (and
      (holding ?x)
      (not (upright ?x)))
    :effect (and
      (upright ?x)))

  (:action stack
    :parameters (?x ?y)
    :precondition (and
      (holding ?x)
      (clear ?y)
      (upright ?x)
      (upright ?y))
    :effect (and
      (on ?x ?y)
      (clear ?x)
      (hand-empty)
      (not (holding ?x))
      (not (clear ?y))))

  (:action unstack
    :parameters (?x ?y)
    :precondition (and
      (on ?x ?y)
      (clear ?x)
      (hand-empty))
    :effect (and
      (holding ?x)
      (clear ?y)
      (not (on ?x ?y))
      (not (clear ?x))
      (not (hand-empty))
      (not (upright ?x)))))
