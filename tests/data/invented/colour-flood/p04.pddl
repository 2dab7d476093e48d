(define (problem paint-shop)
  (:domain colour-flood)
  (:objects
    a0-0 a0-1 a0-2 a0-3 a1-0 a1-1 a1-2 a1-3 a2-0 a2-1 a2-2 a2-3 a3-0 a3-1 a3-2 a3-3 - cell
    orange pink grey - colour
    k0 k1 k2 k3 k4 k5 - num)
  (:init
    (adjacent a0-0 a1-0) (adjacent a1-0 a0-0) (adjacent a0-1 a1-1) (adjacent a1-1 a0-1)
    (adjacent a0-2 a1-2) (adjacent a1-2 a0-2) (adjacent a0-3 a1-3) (adjacent a1-3 a0-3)
    (adjacent a1-0 a2-0) (adjacent a2-0 a1-0) (adjacent a1-1 a2-1) (adjacent a2-1 a1-1)
    (adjacent a1-2 a2-2) (adjacent a2-2 a1-2) (adjacent a1-3 a2-3) (adjacent a2-3 a1-3)
    (adjacent a2-0 a3-0) (adjacent a3-0 a2-0) (adjacent a2-1 a3-1) (adjacent a3-1 a2-1)
    (adjacent a2-2 a3-2) (adjacent a3-2 a2-2) (adjacent a2-3 a3-3) (adjacent a3-3 a2-3)
    (adjacent a0-0 a0-1) (adjacent a0-1 a0-0) (adjacent a0-1 a0-2) (adjacent a0-2 a0-1)
    (adjacent a0-2 a0-3) (adjacent a0-3 a0-2) (adjacent a1-0 a1-1) (adjacent a1-1 a1-0)
    (adjacent a1-1 a1-2) (adjacent a1-2 a1-1) (adjacent a1-2 a1-3) (adjacent a1-3 a1-2)
    (adjacent a2-0 a2-1) (adjacent a2-1 a2-0) (adjacent a2-1 a2-2) (adjacent a2-2 a2-1)
    (adjacent a2-2 a2-3) (adjacent a2-3 a2-2) (adjacent a3-0 a3-1) (adjacent a3-1 a3-0)
    (adjacent a3-1 a3-2) (adjacent a3-2 a3-1) (adjacent a3-2 a3-3) (adjacent a3-3 a3-2)
    (colour-of a0-0 orange) (colour-of a0-1 pink) (colour-of a0-2 grey) (colour-of a0-3
    orange) (colour-of a1-0 grey) (colour-of a1-1 orange) (colour-of a1-2 pink) (colour-of
    a1-3 orange) (colour-of a2-0 pink) (colour-of a2-1 pink) (colour-of a2-2 grey)
    (colour-of a2-3 orange) (colour-of a3-0 grey) (colour-of a3-1 orange) (colour-of a3-2
    grey) (colour-of a3-3 pink)
    (flooded a0-0) (active orange) (your-turn)
    (moves-left k4) (paint-left k2)
    (pred k0 k1) (pred k1 k2) (pred k2 k3) (pred k3 k4) (pred k4 k5))
  (:goal (and
      (forall (?x - cell) (flooded ?x)))))
