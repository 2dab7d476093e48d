(define (problem cableway-p04)
  (:domain cableway)
  (:objects
    valley gorge meadow summit - station
    red - cabin
    mail milk - parcel)
  (:init
    (cable summit meadow)
    (cable meadow summit)
    (cable summit gorge)
    (cable gorge summit)
    (cable gorge valley)
    (cable valley gorge)
    (docked red meadow)
    (vacant red)
    (waiting mail meadow)
    (waiting milk valley))
  (:goal (and (waiting mail valley) (waiting milk summit))))
