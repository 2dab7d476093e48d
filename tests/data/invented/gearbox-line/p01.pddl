(DEFINE (PROBLEM one-housing)
  (:DOMAIN gearbox-line)
  (:OBJECTS
    s1 s2 s3 - station
    c1 c2 - carrier
    a1 a2 - arm
    housing lid - large-part)
  (:INIT
    (current loading)
    (next-station s1 s2) (next-station s2 s3)
    (carrier-at c1 s1) (carrier-at c2 s2)
    (mounted-arm a1 s1) (idle a1) (mounted-arm a2 s2) (idle a2)
    (in-bin housing s1) (belongs housing c1) (in-bin lid s2) (belongs lid c2)
    (strong a1) (welder s1) (camera s2))
  (:GOAL (and
      (approved c1))))
