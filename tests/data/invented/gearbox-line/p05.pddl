(DEFINE (PROBLEM mixed-batch)
  (:DOMAIN gearbox-line)
  (:OBJECTS
    z1 z2 z3 z4 z5 z6 - station
    ca cb cc cd - carrier
    m1 m2 m3 m4 - arm
    s-a s-b s-c spare s-d - small-part
    l-a l-b l-c l-d - large-part)
  (:INIT
    (current loading)
    (next-station z1 z2) (next-station z2 z3) (next-station z3 z4) (next-station z4 z5)
    (next-station z5 z6) (next-station z6 z1)
    (carrier-at ca z1) (carrier-at cb z6) (carrier-at cc z3) (carrier-at cd z5)
    (mounted-arm m1 z1) (idle m1) (mounted-arm m2 z2) (idle m2) (mounted-arm m3 z1) (idle
    m3) (mounted-arm m4 z4) (idle m4)
    (in-bin s-a z2) (belongs s-a ca) (in-bin s-b z1) (belongs s-b cb) (in-bin s-c z2)
    (belongs s-c cc) (in-bin spare z2) (belongs spare cc) (belongs s-d cd) (assembled s-d
    cd) (fixed s-d) (in-bin l-a z1) (belongs l-a ca) (belongs l-b cb) (assembled l-b cb)
    (fixed l-b) (in-bin l-c z1) (belongs l-c cc) (belongs l-d cd) (assembled l-d cd)
    (fixed l-d)
    (strong m1) (welder z1) (welder z2) (screwdriver z2) (screwdriver z3) (camera z3)
    (camera z4))
  (:GOAL (and
      (approved ca)
      (approved cb)
      (forall (?a - arm) (idle ?a)))))
