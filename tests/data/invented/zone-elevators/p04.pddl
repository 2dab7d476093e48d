(define (problem sky-lobby)
  (:domain zone-elevators)
  (:objects
    s0 s1 s2 s3 s4 s5 s6 - floor
    low high - lift
    joe kay lea - passenger
    u0 u1 u2 - count)
  (:init
    (next-floor s0 s1) (next-floor s1 s2) (next-floor s2 s3) (next-floor s3 s4)
    (next-floor s4 s5) (next-floor s5 s6)
    (plus1 u0 u1) (plus1 u1 u2)
    (lift-at low s0) (load low u0) (lift-at high s5) (load high u0)
    (serves low s0) (serves low s1) (serves low s2) (serves low s3) (serves high s3)
    (serves high s4) (serves high s5) (serves high s6)
    (waiting joe s0) (destination joe s5) (waiting kay s4) (destination kay s2) (waiting
    lea s1) (destination lea s2)
    (public s0) (public s1) (public s2) (public s3) (public s4) (public s5) (public s6))
  (:goal (and
      (served joe)
      (served kay))))
