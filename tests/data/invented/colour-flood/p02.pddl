(define (problem cross)
  (:domain colour-flood)
  (:objects
    t0-0 t0-1 t0-2 t1-0 t1-1 t1-2 t2-0 t2-1 t2-2 - cell
    red green blue - colour
    m0 m1 m2 - num)
  (:init
    (adjacent t0-0 t1-0) (adjacent t1-0 t0-0) (adjacent t0-1 t1-1) (adjacent t1-1 t0-1)
    (adjacent t0-2 t1-2) (adjacent t1-2 t0-2) (adjacent t1-0 t2-0) (adjacent t2-0 t1-0)
    (adjacent t1-1 t2-1) (adjacent t2-1 t1-1) (adjacent t1-2 t2-2) (adjacent t2-2 t1-2)
    (adjacent t0-0 t0-1) (adjacent t0-1 t0-0) (adjacent t0-1 t0-2) (adjacent t0-2 t0-1)
    (adjacent t1-0 t1-1) (adjacent t1-1 t1-0) (adjacent t1-1 t1-2) (adjacent t1-2 t1-1)
    (adjacent t2-0 t2-1) (adjacent t2-1 t2-0) (adjacent t2-1 t2-2) (adjacent t2-2 t2-1)
    (colour-of t0-0 red) (colour-of t0-1 blue) (colour-of t0-2 red) (colour-of t1-0 blue)
    (colour-of t1-1 green) (colour-of t1-2 blue) (colour-of t2-0 red) (colour-of t2-1
    blue) (colour-of t2-2 red)
    (flooded t1-1) (active green) (your-turn)
    (moves-left m2) (paint-left m1)
    (pred m0 m1) (pred m1 m2))
  (:goal (and
      (forall (?x - cell) (flooded ?x))
      (your-turn))))
