; Blocksworld with a changed rule: a block turns over when it is taken off another block, and only an upright
; block can be stacked, and only on an upright one.
(define (domain blocks-turning)
  (:requirements :strips :negative-preconditions)
  (:predicates
    (on ?x ?y)
    (ontable ?x)
    (clear ?x)
    (handempty)
    (holding ?x)
    (upright ?x))

  (:action pick-up
    :parameters (?x)
    :precondition (and (clear ?x) (ontable ?x) (handempty))
    :effect (and (holding ?x) (not (ontable ?x)) (not (clear ?x)) (not (handempty))))

  (:action put-down
    :parameters (?x)
    :precondition (holding ?x)
    :effect (and (ontable ?x) (clear ?x) (handempty) (not (holding ?x))))

  (:action set-upright
    :parameters (?x)
    :precondition (and (holding ?x) (not (upright ?x)))
    :effect (upright ?x))

  (:action stack
    :parameters (?x ?y)
    :precondition (and (holding ?x) (clear ?y) (upright ?x) (upright ?y))
    :effect (and (on ?x ?y) (clear ?x) (handempty) (not (holding ?x)) (not (clear ?y))))

  (:action unstack
    :parameters (?x ?y)
    :precondition (and (on ?x ?y) (clear ?x) (handempty))
    :effect (and (holding ?x) (clear ?y) (not (on ?x ?y)) (not (clear ?x)) (not (handempty)) (not (upright ?x)))))
