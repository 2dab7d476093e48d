(define (domain bellringing)
  (:requirements :strips :typing)
  (:types floor ringer bell)
  (:predicates
    (stair ?below - floor ?above - floor)
    (on-floor ?r - ringer ?f - floor)
    (hangs ?b - bell ?f - floor)
    (muffled ?b - bell)
    (clear ?b - bell)
    (rung ?b - bell))
  (:action climb
    :parameters (?r - ringer ?below - floor ?above - floor)
    :precondition (and (on-floor ?r ?below) (stair ?below ?above))
    :effect (and (on-floor ?r ?above) (not (on-floor ?r ?below))))
  (:action descend
    :parameters (?r - ringer ?above - floor ?below - floor)
    :precondition (and (on-floor ?r ?above) (stair ?below ?above))
    :effect (and (on-floor ?r ?below) (not (on-floor ?r ?above))))
  (:action unwrap
    :parameters (?r - ringer ?b - bell ?f - floor)
    :precondition (and (on-floor ?r ?f) (hangs ?b ?f) (muffled ?b))
    :effect (and (clear ?b) (not (muffled ?b))))
  (:action ring
    :parameters (?r - ringer ?b - bell ?f - floor)
    :precondition (and (on-floor ?r ?f) (hangs ?b ?f) (clear ?b))
    :effect (rung ?b)))
