(define (problem mosaic)
  (:domain colour-flood)
  (:objects
    q0-0 q0-1 q0-2 q0-3 q0-4 q1-0 q1-1 q1-2 q1-3 q1-4 q2-0 q2-1 q2-2 q2-3 q2-4 q3-0 q3-1
    q3-2 q3-3 q3-4 - cell
    ruby jade azure coal - colour
    o0 o1 o2 o3 o4 o5 o6 - num)
  (:init
    (adjacent q0-0 q1-0) (adjacent q1-0 q0-0) (adjacent q0-1 q1-1) (adjacent q1-1 q0-1)
    (adjacent q0-2 q1-2) (adjacent q1-2 q0-2) (adjacent q0-3 q1-3) (adjacent q1-3 q0-3)
    (adjacent q0-4 q1-4) (adjacent q1-4 q0-4) (adjacent q1-0 q2-0) (adjacent q2-0 q1-0)
    (adjacent q1-1 q2-1) (adjacent q2-1 q1-1) (adjacent q1-2 q2-2) (adjacent q2-2 q1-2)
    (adjacent q1-3 q2-3) (adjacent q2-3 q1-3) (adjacent q1-4 q2-4) (adjacent q2-4 q1-4)
    (adjacent q2-0 q3-0) (adjacent q3-0 q2-0) (adjacent q2-1 q3-1) (adjacent q3-1 q2-1)
    (adjacent q2-2 q3-2) (adjacent q3-2 q2-2) (adjacent q2-3 q3-3) (adjacent q3-3 q2-3)
    (adjacent q2-4 q3-4) (adjacent q3-4 q2-4) (adjacent q0-0 q0-1) (adjacent q0-1 q0-0)
    (adjacent q0-1 q0-2) (adjacent q0-2 q0-1) (adjacent q0-2 q0-3) (adjacent q0-3 q0-2)
    (adjacent q0-3 q0-4) (adjacent q0-4 q0-3) (adjacent q1-0 q1-1) (adjacent q1-1 q1-0)
    (adjacent q1-1 q1-2) (adjacent q1-2 q1-1) (adjacent q1-2 q1-3) (adjacent q1-3 q1-2)
    (adjacent q1-3 q1-4) (adjacent q1-4 q1-3) (adjacent q2-0 q2-1) (adjacent q2-1 q2-0)
    (adjacent q2-1 q2-2) (adjacent q2-2 q2-1) (adjacent q2-2 q2-3) (adjacent q2-3 q2-2)
    (adjacent q2-3 q2-4) (adjacent q2-4 q2-3) (adjacent q3-0 q3-1) (adjacent q3-1 q3-0)
    (adjacent q3-1 q3-2) (adjacent q3-2 q3-1) (adjacent q3-2 q3-3) (adjacent q3-3 q3-2)
    (adjacent q3-3 q3-4) (adjacent q3-4 q3-3)
    (colour-of q0-0 ruby) (colour-of q0-1 jade) (colour-of q0-2 azure) (colour-of q0-3
    ruby) (colour-of q0-4 jade) (colour-of q1-0 azure) (colour-of q1-1 azure) (colour-of
    q1-2 ruby) (colour-of q1-3 jade) (colour-of q1-4 jade) (colour-of q2-0 ruby)
    (colour-of q2-1 jade) (colour-of q2-2 ruby) (colour-of q2-3 azure) (colour-of q2-4
    ruby) (colour-of q3-0 jade) (colour-of q3-1 azure) (colour-of q3-2 azure) (colour-of
    q3-3 jade) (colour-of q3-4 ruby)
    (flooded q3-0) (active jade) (your-turn)
    (moves-left o6) (paint-left o2)
    (pred o0 o1) (pred o1 o2) (pred o2 o3) (pred o3 o4) (pred o4 o5) (pred o5 o6)
    (tile-blocked q1-1) (tile-blocked q2-3))
  (:goal (and
      (flooded q0-4)
      (flooded q2-3)
      (flooded q0-0)
      (flooded q3-4)
      (active coal)
      (your-turn))))
