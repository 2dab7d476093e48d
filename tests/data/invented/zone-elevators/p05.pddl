(define (problem grand-hotel)
  (:domain zone-elevators)
  (:objects
    p0 p1 p2 p3 p4 p5 p6 p7 p8 p9 p10 p11 - floor
    xp reg - lift
    queen porter cook maid tourist - passenger
    i0 i1 i2 i3 - count)
  (:init
    (next-floor p0 p1) (next-floor p1 p2) (next-floor p2 p3) (next-floor p3 p4)
    (next-floor p4 p5) (next-floor p5 p6) (next-floor p6 p7) (next-floor p7 p8)
    (next-floor p8 p9) (next-floor p9 p10) (next-floor p10 p11)
    (plus1 i0 i1) (plus1 i1 i2) (plus1 i2 i3)
    (lift-at xp p11) (load xp i0) (lift-at reg p1) (load reg i0)
    (serves reg p0) (serves reg p1) (serves reg p2) (serves reg p3) (serves reg p4)
    (serves reg p5) (serves reg p6) (serves reg p7) (serves reg p8) (serves reg p9)
    (serves xp p0) (serves xp p11) (serves xp p10)
    (waiting queen p0) (destination queen p11) (waiting porter p0) (destination porter p2)
    (waiting cook p2) (destination cook p0) (waiting maid p3) (destination maid p1)
    (waiting tourist p9) (destination tourist p8)
    (public p0) (public p1) (public p2) (public p3) (public p4) (public p5) (public p6)
    (public p7) (public p8) (public p9) (public p10) (has-card queen p11) (public p11)
    (vip queen) (express xp))
  (:goal (and
      (served queen)
      (served porter)
      (served cook)
      (served maid))))
