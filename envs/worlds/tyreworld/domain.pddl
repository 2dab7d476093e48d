; Tyreworld: wheels are changed on hubs, with wheels and tools kept in containers.
; Names and parameter orders are those of the published typed domain, in the version in which no action names a
; tool: actions then need no object that only a task declares.
(define (domain tyreworld)
  (:requirements :strips :typing)
  (:types
    obj container hub - object
    tool wheel nut - obj)
  (:predicates
    (open ?c - container)
    (closed ?c - container)
    (have ?x - obj)
    (in ?x - obj ?c - container)
    (loose ?n - nut ?h - hub)
    (tight ?n - nut ?h - hub)
    (unlocked ?c - container)
    (on-ground ?h - hub)
    (not-on-ground ?h - hub)
    (inflated ?w - wheel)
    (not-inflated ?w - wheel)
    (fastened ?h - hub)
    (unfastened ?h - hub)
    (free ?h - hub)
    (on ?w - wheel ?h - hub)
    (intact ?w - wheel))

  (:action open
    :parameters (?c - container)
    :precondition (and (unlocked ?c) (closed ?c))
    :effect (and (open ?c) (not (closed ?c))))

  (:action close
    :parameters (?c - container)
    :precondition (open ?c)
    :effect (and (closed ?c) (not (open ?c))))

  (:action fetch
    :parameters (?x - obj ?c - container)
    :precondition (and (in ?x ?c) (open ?c))
    :effect (and (have ?x) (not (in ?x ?c))))

  (:action put-away
    :parameters (?x - obj ?c - container)
    :precondition (and (have ?x) (open ?c))
    :effect (and (in ?x ?c) (not (have ?x))))

  (:action loosen
    :parameters (?n - nut ?h - hub)
    :precondition (and (tight ?n ?h) (on-ground ?h))
    :effect (and (loose ?n ?h) (not (tight ?n ?h))))

  (:action tighten
    :parameters (?n - nut ?h - hub)
    :precondition (and (loose ?n ?h) (on-ground ?h))
    :effect (and (tight ?n ?h) (not (loose ?n ?h))))

  (:action jack-up
    :parameters (?h - hub)
    :precondition (on-ground ?h)
    :effect (and (not-on-ground ?h) (not (on-ground ?h))))

  (:action jack-down
    :parameters (?h - hub)
    :precondition (not-on-ground ?h)
    :effect (and (on-ground ?h) (not (not-on-ground ?h))))

  (:action undo
    :parameters (?n - nut ?h - hub)
    :precondition (and (not-on-ground ?h) (fastened ?h) (loose ?n ?h))
    :effect (and (have ?n) (unfastened ?h) (not (fastened ?h)) (not (loose ?n ?h))))

  (:action do-up
    :parameters (?n - nut ?h - hub)
    :precondition (and (unfastened ?h) (not-on-ground ?h) (have ?n))
    :effect (and (loose ?n ?h) (fastened ?h) (not (unfastened ?h)) (not (have ?n))))

  (:action remove-wheel
    :parameters (?w - wheel ?h - hub)
    :precondition (and (not-on-ground ?h) (on ?w ?h) (unfastened ?h))
    :effect (and (have ?w) (free ?h) (not (on ?w ?h))))

  (:action put-on-wheel
    :parameters (?w - wheel ?h - hub)
    :precondition (and (have ?w) (free ?h) (unfastened ?h) (not-on-ground ?h))
    :effect (and (on ?w ?h) (not (free ?h)) (not (have ?w))))

  (:action inflate
    :parameters (?w - wheel)
    :precondition (and (not-inflated ?w) (intact ?w))
    :effect (and (inflated ?w) (not (not-inflated ?w)))))
