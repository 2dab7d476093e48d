; Temple of the rolling boulders - a grid puzzle.  No types on purpose.
; Boulders cannot be pulled; a boulder that falls in a pit is gone for good.
(define (domain temple-boulders)
  (:requirements :strips :negative-preconditions :disjunctive-preconditions
                 :conditional-effects)
  (:predicates (cell ?c) (boulder ?b) (key ?k)
               (above ?x ?y)        ; ?x is the cell directly above ?y
               (left-of ?x ?y)      ; ?x is the cell directly left of ?y
               (hero-at ?c) (boulder-at ?b ?c) (blocked ?c)
               (pit ?c) (plate ?c) (pressed ?c)
               (gate ?c) (key-at ?k ?c) (has ?k) (fits ?k ?c))

  (:action step-up
    :parameters (?c1 ?c2)
    :precondition (and (cell ?c1) (cell ?c2) (hero-at ?c1) (above ?c2 ?c1)
                       (not (blocked ?c2)) (not (pit ?c2)) (not (gate ?c2)))
    :effect (and (hero-at ?c2) (not (hero-at ?c1))))

  (:action step-down
    :parameters (?c1 ?c2)
    :precondition (and (cell ?c1) (cell ?c2) (hero-at ?c1) (above ?c1 ?c2)
                       (not (blocked ?c2)) (not (pit ?c2)) (not (gate ?c2)))
    :effect (and (hero-at ?c2) (not (hero-at ?c1))))

  (:action step-left
    :parameters (?c1 ?c2)
    :precondition (and (cell ?c1) (cell ?c2) (hero-at ?c1) (left-of ?c2 ?c1)
                       (not (blocked ?c2)) (not (pit ?c2)) (not (gate ?c2)))
    :effect (and (hero-at ?c2) (not (hero-at ?c1))))

  (:action step-right
    :parameters (?c1 ?c2)
    :precondition (and (cell ?c1) (cell ?c2) (hero-at ?c1) (left-of ?c1 ?c2)
                       (not (blocked ?c2)) (not (pit ?c2)) (not (gate ?c2)))
    :effect (and (hero-at ?c2) (not (hero-at ?c1))))

  (:action roll-up
    :parameters (?b ?c1 ?c2 ?c3)
    :precondition (and (boulder ?b) (cell ?c1) (cell ?c2) (cell ?c3)
                       (hero-at ?c1) (boulder-at ?b ?c2)
                       (above ?c2 ?c1) (above ?c3 ?c2)
                       (not (blocked ?c3)) (not (gate ?c3)))
    :effect (and (hero-at ?c2) (not (hero-at ?c1))
                 (not (boulder-at ?b ?c2)) (not (blocked ?c2))
                 (when (pit ?c3) (not (pit ?c3)))
                 (when (not (pit ?c3)) (and (boulder-at ?b ?c3) (blocked ?c3)))
                 (when (plate ?c3) (pressed ?c3))
                 (when (plate ?c2) (not (pressed ?c2)))))

  (:action roll-down
    :parameters (?b ?c1 ?c2 ?c3)
    :precondition (and (boulder ?b) (cell ?c1) (cell ?c2) (cell ?c3)
                       (hero-at ?c1) (boulder-at ?b ?c2)
                       (above ?c1 ?c2) (above ?c2 ?c3)
                       (not (blocked ?c3)) (not (gate ?c3)))
    :effect (and (hero-at ?c2) (not (hero-at ?c1))
                 (not (boulder-at ?b ?c2)) (not (blocked ?c2))
                 (when (pit ?c3) (not (pit ?c3)))
                 (when (not (pit ?c3)) (and (boulder-at ?b ?c3) (blocked ?c3)))
                 (when (plate ?c3) (pressed ?c3))
                 (when (plate ?c2) (not (pressed ?c2)))))

  (:action roll-left
    :parameters (?b ?c1 ?c2 ?c3)
    :precondition (and (boulder ?b) (cell ?c1) (cell ?c2) (cell ?c3)
                       (hero-at ?c1) (boulder-at ?b ?c2)
                       (left-of ?c2 ?c1) (left-of ?c3 ?c2)
                       (not (blocked ?c3)) (not (gate ?c3)))
    :effect (and (hero-at ?c2) (not (hero-at ?c1))
                 (not (boulder-at ?b ?c2)) (not (blocked ?c2))
                 (when (pit ?c3) (not (pit ?c3)))
                 (when (not (pit ?c3)) (and (boulder-at ?b ?c3) (blocked ?c3)))
                 (when (plate ?c3) (pressed ?c3))
                 (when (plate ?c2) (not (pressed ?c2)))))

  (:action roll-right
    :parameters (?b ?c1 ?c2 ?c3)
    :precondition (and (boulder ?b) (cell ?c1) (cell ?c2) (cell ?c3)
                       (hero-at ?c1) (boulder-at ?b ?c2)
                       (left-of ?c1 ?c2) (left-of ?c2 ?c3)
                       (not (blocked ?c3)) (not (gate ?c3)))
    :effect (and (hero-at ?c2) (not (hero-at ?c1))
                 (not (boulder-at ?b ?c2)) (not (blocked ?c2))
                 (when (pit ?c3) (not (pit ?c3)))
                 (when (not (pit ?c3)) (and (boulder-at ?b ?c3) (blocked ?c3)))
                 (when (plate ?c3) (pressed ?c3))
                 (when (plate ?c2) (not (pressed ?c2)))))

  (:action grab-key
    :parameters (?k ?c)
    :precondition (and (key ?k) (cell ?c) (hero-at ?c) (key-at ?k ?c))
    :effect (and (has ?k) (not (key-at ?k ?c))))

  (:action unlock-gate
    :parameters (?k ?c ?g)
    :precondition (and (key ?k) (cell ?c) (cell ?g)
                       (hero-at ?c) (has ?k) (fits ?k ?g) (gate ?g)
                       (or (above ?c ?g) (above ?g ?c)
                           (left-of ?c ?g) (left-of ?g ?c)))
    :effect (and (not (gate ?g)) (not (has ?k))))
)
