(define (problem tiny-tower)
  (:domain zone-elevators)
  (:objects
    f0 f1 f2 - floor
    e1 - lift
    ann bob - passenger
    c0 c1 - count)
  (:init
    (next-floor f0 f1) (next-floor f1 f2)
    (plus1 c0 c1)
    (lift-at e1 f0) (load e1 c0)
    (serves e1 f0) (serves e1 f1) (serves e1 f2)
    (waiting ann f2) (destination ann f0) (waiting bob f1) (destination bob f2)
    (public f0) (public f1) (public f2))
  (:goal (and
      (served ann))))
