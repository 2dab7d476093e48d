(define (problem wall)
  (:domain colour-flood)
  (:objects
    k0-0 k0-1 k0-2 k0-3 k1-0 k1-1 k1-2 k1-3 k2-0 k2-1 k2-2 k2-3 - cell
    white yellow black - colour
    n0 n1 n2 n3 n4 - num)
  (:init
    (adjacent k0-0 k1-0) (adjacent k1-0 k0-0) (adjacent k0-1 k1-1) (adjacent k1-1 k0-1)
    (adjacent k0-2 k1-2) (adjacent k1-2 k0-2) (adjacent k0-3 k1-3) (adjacent k1-3 k0-3)
    (adjacent k1-0 k2-0) (adjacent k2-0 k1-0) (adjacent k1-1 k2-1) (adjacent k2-1 k1-1)
    (adjacent k1-2 k2-2) (adjacent k2-2 k1-2) (adjacent k1-3 k2-3) (adjacent k2-3 k1-3)
    (adjacent k0-0 k0-1) (adjacent k0-1 k0-0) (adjacent k0-1 k0-2) (adjacent k0-2 k0-1)
    (adjacent k0-2 k0-3) (adjacent k0-3 k0-2) (adjacent k1-0 k1-1) (adjacent k1-1 k1-0)
    (adjacent k1-1 k1-2) (adjacent k1-2 k1-1) (adjacent k1-2 k1-3) (adjacent k1-3 k1-2)
    (adjacent k2-0 k2-1) (adjacent k2-1 k2-0) (adjacent k2-1 k2-2) (adjacent k2-2 k2-1)
    (adjacent k2-2 k2-3) (adjacent k2-3 k2-2)
    (colour-of k0-0 white) (colour-of k0-1 white) (colour-of k0-2 yellow) (colour-of k0-3
    black) (colour-of k1-0 yellow) (colour-of k1-1 black) (colour-of k1-2 black)
    (colour-of k1-3 yellow) (colour-of k2-0 white) (colour-of k2-1 white) (colour-of k2-2
    black) (colour-of k2-3 yellow)
    (flooded k0-0) (active white) (your-turn)
    (moves-left n4) (paint-left n1)
    (pred n0 n1) (pred n1 n2) (pred n2 n3) (pred n3 n4)
    (tile-blocked k1-1) (tile-blocked k0-2))
  (:goal (and
      (forall (?x - cell) (flooded ?x))
      (your-turn))))
