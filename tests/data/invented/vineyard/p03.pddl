(define (problem late-pruning)
  (:domain vineyard-harvest)
  (:objects
    clara dov - worker
    r1 r2 r3 - row
    barn - yard
    old-press - press
    handcart - cart
    k1 k2 - crate
    snips - shears
    pinot - variety)
  (:init
    (path barn r1) (path r1 barn)
    (path r1 r2) (path r2 r1)
    (path r2 r3) (path r3 r2)
    (track barn r1) (track r1 barn)
    (track r1 r2) (track r2 r1)
    (at clara r3) (has clara snips)
    (at dov barn) (hands-free dov)
    (at old-press barn) (at handcart barn) (cart-free handcart)
    (at k1 barn) (empty k1) (at k2 r3) (empty k2)
    (overgrown r3) (overgrown r2) (overgrown r1)
    (bears r2 pinot))
  (:goal
    (and (pressed pinot)
         (tended r3)
         (tended r1)
         (at snips barn))))
