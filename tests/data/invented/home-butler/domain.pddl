(define (domain home-butler)
  (:requirements :adl :typing)
  (:types
    room thing - object
    item furniture - thing
    food utensil plant - item
    dish knife cup - utensil
    surface storage sink - furniture
    cupboard appliance - storage
    dishwasher microwave - appliance)

  (:predicates
    (robot-in ?r - room)
    (linked ?a ?b - room)
    (located ?f - furniture ?r - room)
    (on ?i - item ?s - surface)
    (inside ?i - item ?s - storage)
    (holding ?i - item)
    (hand-empty)
    (is-open ?s - storage)
    (dirty ?u - utensil)
    (hot ?f - food)
    (sliced ?f - food)
    (filled ?c - cup)
    (lit ?r - room)
    (watered ?p - plant))

  (:action walk
    :parameters (?a ?b - room)
    :precondition (and (robot-in ?a) (linked ?a ?b))
    :effect (and (robot-in ?b) (not (robot-in ?a))))

  (:action switch-light-on
    :parameters (?r - room)
    :precondition (and (robot-in ?r) (not (lit ?r)))
    :effect (lit ?r))

  (:action open-storage
    :parameters (?s - storage ?r - room)
    :precondition (and (robot-in ?r) (located ?s ?r) (hand-empty) (not (is-open ?s)))
    :effect (is-open ?s))

  (:action close-storage
    :parameters (?s - storage ?r - room)
    :precondition (and (robot-in ?r) (located ?s ?r) (hand-empty) (is-open ?s))
    :effect (not (is-open ?s)))

  (:action take-from-surface
    :parameters (?i - item ?s - surface ?r - room)
    :precondition (and (robot-in ?r) (located ?s ?r) (lit ?r) (on ?i ?s) (hand-empty))
    :effect (and (holding ?i) (not (on ?i ?s)) (not (hand-empty))))

  (:action take-from-storage
    :parameters (?i - item ?s - storage ?r - room)
    :precondition (and (robot-in ?r) (located ?s ?r) (is-open ?s) (inside ?i ?s) (hand-empty))
    :effect (and (holding ?i) (not (inside ?i ?s)) (not (hand-empty))))

  (:action put-on
    :parameters (?i - item ?s - surface ?r - room)
    :precondition (and (robot-in ?r) (located ?s ?r) (holding ?i))
    :effect (and (on ?i ?s) (hand-empty) (not (holding ?i))))

  (:action put-inside
    :parameters (?i - item ?s - storage ?r - room)
    :precondition (and (robot-in ?r) (located ?s ?r) (is-open ?s) (holding ?i))
    :effect (and (inside ?i ?s) (hand-empty) (not (holding ?i))))

  (:action wash-by-hand
    :parameters (?u - utensil ?k - sink ?r - room)
    :precondition (and (robot-in ?r) (located ?k ?r) (holding ?u) (dirty ?u))
    :effect (not (dirty ?u)))

  (:action run-dishwasher
    :parameters (?m - dishwasher ?r - room)
    :precondition (and (robot-in ?r) (located ?m ?r) (not (is-open ?m)))
    :effect (forall (?u - utensil)
              (when (inside ?u ?m) (not (dirty ?u)))))

  (:action run-microwave
    :parameters (?m - microwave ?r - room)
    :precondition (and (robot-in ?r) (located ?m ?r) (not (is-open ?m)))
    :effect (forall (?f - food)
              (when (inside ?f ?m) (hot ?f))))

  (:action slice
    :parameters (?f - food ?k - knife ?s - surface ?r - room)
    :precondition (and (robot-in ?r) (located ?s ?r) (on ?f ?s)
                       (holding ?k) (not (dirty ?k)) (not (sliced ?f)))
    :effect (and (sliced ?f) (dirty ?k)))

  (:action fill-cup
    :parameters (?c - cup ?k - sink ?r - room)
    :precondition (and (robot-in ?r) (located ?k ?r) (holding ?c)
                       (not (dirty ?c)) (not (filled ?c)))
    :effect (filled ?c))

  (:action water-plant
    :parameters (?p - plant ?c - cup ?s - surface ?r - room)
    :precondition (and (robot-in ?r) (located ?s ?r) (on ?p ?s)
                       (holding ?c) (filled ?c))
    :effect (and (watered ?p) (not (filled ?c))))
)
