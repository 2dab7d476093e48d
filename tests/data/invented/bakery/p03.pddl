(define (problem two-at-once)
  (:domain bakery-night-shift)
  (:objects
    paul rosa - baker
    spiral - mixer
    steam-oven - oven
    bench1 - bench
    rack-n rack-s - rack
    wheat oat - dough
    t1 t2 - tray
    k0 k1 k2 k3 - amount)
  (:init
    (beside paul spiral) (beside rosa rack-n)
    (on t1 bench1) (on t2 rack-s)
    (full spiral) (stock k2)
    (one-less k0 k1) (one-less k1 k2) (one-less k2 k3))
  (:goal
    (and (baked wheat)
         (on wheat rack-n)
         (kneaded oat)
         (in-tray oat t2))))
