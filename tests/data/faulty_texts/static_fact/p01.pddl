(define (problem cableway-p01)
  (:domain cableway)
  (:objects
    valley gorge meadow summit - station
    red - cabin
    mail - parcel)
  (:init
    (cable valley gorge)
    (cable gorge valley)
    (cable gorge meadow)
    (cable meadow gorge)
    (cable meadow summit)
    (cable summit meadow)
    (docked red valley)
    (vacant red)
    (waiting mail gorge))
  (:goal (and (waiting mail summit))))
