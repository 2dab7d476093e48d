(define (problem entrance)
  (:domain temple-boulders)
  (:objects
    c00 c01 c02 c03 c04 c10 c11 c12 c14
    stone1 ckey1)
  (:init
    (cell c00) (cell c01) (cell c02) (cell c03) (cell c04) (cell c10) (cell c11) (cell
    c12) (cell c14)
    (boulder stone1) (key ckey1)
    (above c00 c10) (above c01 c11) (above c02 c12) (above c04 c14) (left-of c00 c01)
    (left-of c01 c02) (left-of c02 c03) (left-of c03 c04) (left-of c10 c11) (left-of c11
    c12)
    (hero-at c00) (boulder-at stone1 c02) (blocked c02) (pit c03) (key-at ckey1 c04))
  (:goal (and
      (has ckey1))))
