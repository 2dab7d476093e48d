(define (problem trading-places)
  (:domain canal-locks)
  (:objects
    old-sam - keeper
    weir-lock - lock
    head tail - gate
    high low - level
    upper-wharf lower-wharf - wharf
    plover kite - barge
    grain bricks - cargo)
  (:init
    (opposite high low) (opposite low high)
    (gate-of head weir-lock) (sill head high) (leads head upper-wharf)
    (gate-of tail weir-lock) (sill tail low) (leads tail lower-wharf)
    (water weir-lock low) (vacant weir-lock)
    (open tail)
    (tends old-sam weir-lock)
    (moored plover lower-wharf) (moored kite upper-wharf)
    (waiting grain lower-wharf) (stowed bricks kite))
  (:goal
    (and (waiting grain upper-wharf)
         (waiting bricks lower-wharf)
         (sealed weir-lock))))
