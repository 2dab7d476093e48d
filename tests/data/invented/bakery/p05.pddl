(define (problem sunday-order)
  (:domain bakery-night-shift)
  (:objects
    vera will - baker
    m-east m-west - mixer
    o-east o-west - oven
    b1 b2 - bench
    r1 r2 - rack
    sourdough pumpernickel focaccia bagel - dough
    tr1 tr2 tr3 - tray
    a0 a1 a2 a3 a4 - amount)
  (:init
    (beside vera m-east) (beside will b2)
    (holding will tr3) (busy will) (in-tray bagel tr3) (full tr3) (kneaded bagel) (baked bagel)
    (on tr1 b1) (on tr2 b1)
    (kneaded focaccia) (on focaccia b2)
    (stock a3) (one-less a0 a1) (one-less a1 a2) (one-less a2 a3) (one-less a3 a4))
  (:goal
    (and (on bagel r1)
         (baked focaccia)
         (on focaccia r2)
         (kneaded sourdough)
         (on sourdough b2)
         (stock a1)
         (full m-west))))
