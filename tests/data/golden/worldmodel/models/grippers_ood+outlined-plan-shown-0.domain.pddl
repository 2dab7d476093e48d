(define (domain grippers_ood)
  (:requirements :strips :typing :negative-preconditions)
  (:types room obj robot gripper)
  (:predicates
    (robot-in ?r - robot ?x - room)
    (has-gripper ?r - robot ?g - gripper)
    (free ?g - gripper)
    (prepared ?x - room)
    (lies-in ?o - obj ?x - room)
    (carries ?r - robot ?o - obj ?g - gripper))

  (:action move
    :parameters (?r - robot ?from ?to - room)
    :precondition (and
      (robot-in ?r ?from))
    :effect (and
      (robot-in ?r ?to)
      (not (robot-in ?r ?from))))

  (:action prepare-room
    :parameters (?r - robot ?room - room ?g - gripper)
    :precondition (and
      (robot-in ?r ?room)
      (has-gripper ?r ?g)
      (free ?g)
      (not (prepared ?room)))
    :effect (and
      (prepared ?room)))

  (:action pick
    :parameters (?r - robot ?obj - obj ?room - room ?g - gripper)
    :precondition (and
      (robot-in ?r ?room)
      (lies-in ?obj ?room)
      (has-gripper ?r ?g)
      (free ?g)
      (prepared ?room))
    :effect (and
      (carries ?r ?obj ?g)
      (not (lies-in ?obj ?room))
      (not (free ?g))))

  (:action drop
    :parameters (?r - robot ?obj - obj ?room - room ?g - gripper)
    :precondition (and
      (robot-in ?r ?room)
      (carries ?r ?obj ?g)
      (prepared ?room))
    :effect (and
      (lies-in ?obj ?room)
      (free ?g)
      (not (carries ?r ?obj ?g))
      (not (prepared ?room)))))
