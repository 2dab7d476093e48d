(define (problem stamp)
  (:domain colour-flood)
  (:objects
    p0-0 p0-1 p1-0 p1-1 p2-0 p2-1 - cell
    red green blue - colour
    n0 n1 n2 n3 - num)
  (:init
    (adjacent p0-0 p1-0) (adjacent p1-0 p0-0) (adjacent p0-1 p1-1) (adjacent p1-1 p0-1)
    (adjacent p1-0 p2-0) (adjacent p2-0 p1-0) (adjacent p1-1 p2-1) (adjacent p2-1 p1-1)
    (adjacent p0-0 p0-1) (adjacent p0-1 p0-0) (adjacent p1-0 p1-1) (adjacent p1-1 p1-0)
    (adjacent p2-0 p2-1) (adjacent p2-1 p2-0)
    (colour-of p0-0 red) (colour-of p0-1 green) (colour-of p1-0 red) (colour-of p1-1
    green) (colour-of p2-0 red) (colour-of p2-1 blue)
    (flooded p0-0) (active red) (your-turn)
    (moves-left n3) (paint-left n0)
    (pred n0 n1) (pred n1 n2) (pred n2 n3))
  (:goal (and
      (forall (?x - cell) (flooded ?x)))))
