(DEFINE (PROBLEM twin-pallets)
  (:DOMAIN gearbox-line)
  (:OBJECTS
    in mid out exit - station
    pal1 pal2 - carrier
    left-arm right-arm third-arm - arm
    nut1 nut2 washer - small-part
    case1 case2 - large-part)
  (:INIT
    (current loading)
    (next-station in mid) (next-station mid out) (next-station out exit) (next-station
    exit in)
    (carrier-at pal1 in) (carrier-at pal2 out)
    (mounted-arm left-arm in) (idle left-arm) (mounted-arm right-arm mid) (idle right-arm)
    (mounted-arm third-arm out) (idle third-arm)
    (in-bin nut1 mid) (belongs nut1 pal1) (in-bin nut2 mid) (belongs nut2 pal2) (in-bin
    washer out) (belongs washer pal2) (in-bin case1 in) (belongs case1 pal1) (in-bin case2
    in) (belongs case2 pal2)
    (strong left-arm) (welder in) (screwdriver mid) (camera out))
  (:GOAL (and
      (fixed nut1)
      (approved pal1)
      (exists (?a - arm) (holding ?a case2)))))
