(define (domain colour-flood)
  (:requirements :typing :equality :negative-preconditions
                 :quantified-preconditions :conditional-effects)
  (:types cell colour num - object)
  (:predicates
    (adjacent ?x ?y - cell)
    (colour-of ?x - cell ?c - colour)
    (flooded ?x - cell)
    (wet ?x - cell)
    (tile-blocked ?x - cell)
    (active ?c - colour)              ; colour of the flooded area
    (your-turn)
    (spreading)
    (moves-left ?n - num)
    (paint-left ?n - num)
    (pred ?n ?m - num))               ; ?n = ?m - 1

  ; choose a new colour: the flooded area takes it and becomes wet
  (:action choose
    :parameters (?old ?new - colour ?n ?m - num)
    :precondition (and (your-turn) (active ?old) (not (= ?old ?new))
                       (moves-left ?m) (pred ?n ?m))
    :effect (and (not (your-turn)) (spreading)
                 (not (active ?old)) (active ?new)
                 (not (moves-left ?m)) (moves-left ?n)
                 (forall (?x - cell)
                   (when (flooded ?x)
                     (and (wet ?x)
                          (not (colour-of ?x ?old)) (colour-of ?x ?new))))))

  ; one wave of the flood; only wet tiles pass it on
  (:action spread
    :parameters (?c - colour)
    :precondition (and (spreading) (active ?c))
    :effect (and
      (forall (?x - cell)
        (when (wet ?x) (not (wet ?x))))
      (forall (?x ?y - cell)
        (when (and (wet ?x) (adjacent ?x ?y) (colour-of ?y ?c)
                   (not (flooded ?y)) (not (tile-blocked ?y)))
              (and (flooded ?y) (wet ?y))))))

  ; the turn is over when everything has dried
  (:action settle
    :parameters (?c - colour)
    :precondition (and (spreading) (active ?c)
                       (forall (?x - cell) (not (wet ?x))))
    :effect (and (not (spreading)) (your-turn)))

  ; a drop of paint changes one dry tile
  (:action drop-paint
    :parameters (?x - cell ?from ?to - colour ?n ?m - num)
    :precondition (and (your-turn) (colour-of ?x ?from) (not (flooded ?x))
                       (not (= ?from ?to))
                       (paint-left ?m) (pred ?n ?m))
    :effect (and (not (colour-of ?x ?from)) (colour-of ?x ?to)
                 (not (paint-left ?m)) (paint-left ?n)))

  ; a blocked tile can be broken from a flooded neighbour
  (:action crack
    :parameters (?x ?y - cell)
    :precondition (and (your-turn) (flooded ?x) (adjacent ?x ?y) (tile-blocked ?y))
    :effect (not (tile-blocked ?y)))
)
