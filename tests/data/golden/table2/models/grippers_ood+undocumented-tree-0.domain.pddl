(define (domain grippers_ood)
  (:requirements :strips :typing :negative-preconditions)
  (:types room obj robot gripper)
  (:predicates
    (in ?r - robot ?x - room)
    (lies-in ?o - obj ?x - room)
    (free ?r - robot ?g - gripper)
    (mounted ?g - gripper ?r - robot)
    (carries ?r - robot ?o - obj ?g - gripper)
    (prepared ?x - room))

  (:action move
    :parameters (?r - robot ?from ?to - room)
    :precondition (and
      (in ?r ?from))
    :effect (and
      (not (in ?r ?from))
      (in ?r ?to)))

  (:action prepare-room
    :parameters (?r - robot ?room - room ?g - gripper)
    :precondition (and
      (in ?r ?room)
      (mounted ?g ?r)
      (free ?r ?g)
      (not (prepared ?room)))
    :effect (and
      (prepared ?room)))

  (:action pick
    :parameters (?r - robot ?obj - obj ?room - room ?g - gripper)
    :precondition (and
      (in ?r ?room)
      (lies-in ?obj ?room)
      (mounted ?g ?r)
      (free ?r ?g)
      (prepared ?room))
    :effect (and
      (carries ?r ?obj ?g)
      (not (lies-in ?obj ?room))
      (not (free ?r ?g))))

  (:action drop
    :parameters (?r - robot ?obj - obj ?room - room ?g - gripper)
    :precondition (and
      (in ?r ?room)
      (mounted ?g ?r)
      (carries ?r ?obj ?g)
      (prepared ?room))
    :effect (and
      (lies-in ?obj ?room)
      (free ?r ?g)
      (not (carries ?r ?obj ?g))
      (not (prepared ?room)))))
