(define (domain grippers_ood)
  (:requirements :strips :typing :negative-preconditions)
  (:types room obj robot gripper)
  (:predicates
    (at-robby ?r - robot ?room - room)
    (at ?obj - obj ?room - room)
    (free ?r - robot ?g - gripper)
    (carry ?r - robot ?obj - obj ?g - gripper)
    (prepared ?room - room))

  (:action move
    :parameters (?r - robot ?from ?to - room)
    :precondition (and
      (at-robby ?r ?from))
    :effect (and
      (not (at-robby ?r ?from))
      (at-robby ?r ?to)))

  (:action prepare-room
    :parameters (?r - robot ?room - room ?g - gripper)
    :precondition (and
      (at-robby ?r ?room)
      (free ?r ?g)
      (not (prepared ?room)))
    :effect (and
      (prepared ?room)))

  (:action pick
    :parameters (?r - robot ?obj - obj ?room - room ?g - gripper)
    :precondition (and
      (at-robby ?r ?room)
      (at ?obj ?room)
      (free ?r ?g)
      (prepared ?room))
    :effect (and
      (carry ?r ?obj ?g)
      (not (at ?obj ?room))
      (not (free ?r ?g))))

  (:action drop
    :parameters (?r - robot ?obj - obj ?room - room ?g - gripper)
    :precondition (and
      (at-robby ?r ?room)
      (carry ?r ?obj ?g)
      (prepared ?room))
    :effect (and
      (at ?obj ?room)
      (free ?r ?g)
      (not (carry ?r ?obj ?g))
      (not (prepared ?room)))))
