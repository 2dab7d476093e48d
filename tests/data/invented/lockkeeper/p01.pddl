(define (problem one-boat-uphill)
  (:domain canal-locks)
  (:objects
    joe - keeper
    mill-lock - lock
    mill-top mill-tail - gate
    high low - level
    mill-pound - pound
    quay - wharf
    otter - cruiser
    heron - barge
    flour - cargo)
  (:init
    (opposite high low) (opposite low high)
    (gate-of mill-top mill-lock) (sill mill-top high) (leads mill-top mill-pound)
    (gate-of mill-tail mill-lock) (sill mill-tail low) (leads mill-tail quay)
    (water mill-lock high) (vacant mill-lock)
    (sealed mill-lock)
    (tends joe mill-lock)
    (moored heron quay) (moored otter mill-pound)
    (waiting flour quay))
  (:goal
    (and (moored heron mill-pound)
         (stowed flour heron))))
