(define (problem two-terraces)
  (:domain vineyard-harvest)
  (:objects
    bruno - worker
    terrace-low terrace-high - row
    gate cellar - yard
    press-a - press
    wagon - cart
    crate-x crate-y - crate
    clippers - shears
    merlot gamay - variety)
  (:init
    (path gate cellar) (path cellar gate)
    (path gate terrace-low) (path terrace-low gate)
    (path terrace-low terrace-high) (path terrace-high terrace-low)
    (track gate cellar) (track cellar gate)
    (track gate terrace-low) (track terrace-low gate)
    (at bruno gate) (hands-free bruno)
    (at clippers gate) (at press-a cellar)
    (at wagon gate) (cart-free wagon)
    (at crate-x terrace-low) (empty crate-x)
    (at crate-y cellar) (holds crate-y gamay)
    (overgrown terrace-low) (overgrown terrace-high)
    (bears terrace-low merlot) (bears terrace-high gamay))
  (:goal
    (and (pressed merlot)
         (pressed gamay)
         (tended terrace-low))))
