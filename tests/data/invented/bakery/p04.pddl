(define (problem cold-tray)
  (:domain bakery-night-shift)
  (:objects
    uma - baker
    small-mixer big-mixer - mixer
    left-oven right-oven - oven
    marble - bench
    shelf - rack
    bun plait crown - dough
    sheet1 - tray
    q0 q1 q2 - amount)
  (:init
    (beside uma shelf) (hot right-oven)
    (kneaded bun) (in-tray bun sheet1) (full sheet1) (on sheet1 marble)
    (stock q2) (one-less q0 q1) (one-less q1 q2))
  (:goal
    (and (on bun shelf)
         (baked bun)
         (baked plait)
         (on sheet1 marble))))
