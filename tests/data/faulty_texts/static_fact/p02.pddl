(define (problem cableway-p02)
  (:domain cableway)
  (:objects
    valley gorge meadow summit ridge - station
    red - cabin
    mail milk - parcel)
  (:init
    (cable valley gorge)
    (cable gorge valley)
    (cable gorge meadow)
    (cable meadow gorge)
    (cable meadow ridge)
    (cable ridge meadow)
    (cable ridge summit)
    (cable summit ridge)
    (docked red gorge)
    (vacant red)
    (waiting mail valley)
    (waiting milk summit))
  (:goal (and (waiting mail ridge) (waiting milk meadow))))
