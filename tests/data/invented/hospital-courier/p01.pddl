(define (problem morning-round)
  (:domain hospital-courier)
  (:objects
    rob
    lobby pharmacy ward wash
    anna pills gauze)
  (:init
    (robot rob)
    (room lobby) (room pharmacy) (room ward) (room wash)
    (nurse anna)
    (item pills) (item gauze)
    (corridor lobby pharmacy) (corridor pharmacy lobby) (corridor lobby ward) (corridor
    ward lobby) (corridor pharmacy wash) (corridor wash pharmacy)
    (allowed rob lobby) (allowed rob pharmacy) (allowed rob ward) (allowed rob wash)
    (at rob lobby) (at anna ward) (at pills lobby) (at gauze pharmacy)
    (free rob)
    (washroom wash))
  (:goal (and
      (received anna pills)
      (received anna gauze))))
