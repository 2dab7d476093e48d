(define (problem resting-dough)
  (:domain bakery-night-shift)
  (:objects
    ines - baker
    hobart - mixer
    deck-oven - oven
    floured-table side-table - bench
    cooling-rack - rack
    spelt brioche - dough
    tray-a - tray
    zero one - amount)
  (:init
    (beside ines deck-oven)
    (kneaded spelt) (on spelt side-table) (on tray-a floured-table)
    (stock one) (one-less zero one))
  (:goal
    (and (on spelt cooling-rack)
         (baked spelt))))
