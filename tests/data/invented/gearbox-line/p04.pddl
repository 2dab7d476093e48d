(DEFINE (PROBLEM gear-train)
  (:DOMAIN gearbox-line)
  (:OBJECTS
    w1 w2 w3 w4 w5 - station
    sled sled2 sled3 - carrier
    r1 r2 r3 r4 - arm
    pin-a pin-b pin-c pin-d - small-part
    frame cover frame2 - large-part)
  (:INIT
    (current loading)
    (next-station w1 w2) (next-station w2 w3) (next-station w3 w4) (next-station w4 w5)
    (next-station w5 w1)
    (carrier-at sled w5) (carrier-at sled2 w2) (carrier-at sled3 w4)
    (mounted-arm r1 w1) (idle r1) (mounted-arm r2 w2) (idle r2) (mounted-arm r3 w3) (idle
    r3) (mounted-arm r4 w4) (idle r4)
    (in-bin pin-a w2) (belongs pin-a sled) (in-bin pin-b w3) (belongs pin-b sled) (in-bin
    pin-c w2) (belongs pin-c sled2) (in-bin pin-d w4) (belongs pin-d sled3) (in-bin frame
    w1) (belongs frame sled) (in-bin cover w3) (belongs cover sled) (in-bin frame2 w1)
    (belongs frame2 sled2)
    (strong r1) (strong r3) (welder w1) (welder w3) (screwdriver w2) (screwdriver w3)
    (camera w4) (camera w3))
  (:GOAL (and
      (approved sled))))
