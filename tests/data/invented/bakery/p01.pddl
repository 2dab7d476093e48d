(define (problem first-loaf)
  (:domain bakery-night-shift)
  (:objects
    tom - baker
    mix1 - mixer
    oven1 - oven
    table - bench
    rack1 - rack
    rye - dough
    tin - tray
    n0 n1 n2 - amount)
  (:init
    (beside tom mix1)
    (on tin table)
    (stock n1) (one-less n0 n1) (one-less n1 n2))
  (:goal
    (and (baked rye))))
