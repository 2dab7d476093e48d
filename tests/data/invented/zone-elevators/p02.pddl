(define (problem card-needed)
  (:domain zone-elevators)
  (:objects
    g a b c - floor
    lift - lift
    boss guest - passenger
    n0 n1 n2 - count)
  (:init
    (next-floor g a) (next-floor a b) (next-floor b c)
    (plus1 n0 n1) (plus1 n1 n2)
    (lift-at lift g) (load lift n0)
    (serves lift g) (serves lift a) (serves lift b) (serves lift c)
    (waiting boss g) (destination boss c) (waiting guest a) (destination guest g)
    (public g) (public a) (public b) (has-card boss c) (vip boss))
  (:goal (and
      (served boss)
      (served guest))))
