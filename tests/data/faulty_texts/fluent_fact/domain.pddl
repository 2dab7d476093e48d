(define (domain greenhouse)
  (:requirements :strips :typing)
  (:types bench gardener plant)
  (:predicates
    (beside ?a - bench ?b - bench)
    (stands ?g - gardener ?b - bench)
    (potted ?p - plant ?b - bench)
    (carries ?g - gardener ?p - plant)
    (free-handed ?g - gardener)
    (dry ?p - plant)
    (watered ?p - plant))
  (:action walk
    :parameters (?g - gardener ?from - bench ?to - bench)
    :precondition (and (stands ?g ?from) (beside ?from ?to))
    :effect (and (stands ?g ?to) (not (stands ?g ?from))))
  (:action lift
    :parameters (?g - gardener ?p - plant ?b - bench)
    :precondition (and (stands ?g ?b) (potted ?p ?b) (free-handed ?g))
    :effect (and (carries ?g ?p) (not (potted ?p ?b)) (not (free-handed ?g))))
  (:action place
    :parameters (?g - gardener ?p - plant ?b - bench)
    :precondition (and (stands ?g ?b) (carries ?g ?p))
    :effect (and (potted ?p ?b) (free-handed ?g) (not (carries ?g ?p))))
  (:action water
    :parameters (?g - gardener ?p - plant ?b - bench)
    :precondition (and (stands ?g ?b) (potted ?p ?b) (free-handed ?g) (dry ?p))
    :effect (and (watered ?p) (not (dry ?p)))))
