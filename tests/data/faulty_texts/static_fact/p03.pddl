(define (problem cableway-p03)
  (:domain cableway)
  (:objects
    valley gorge meadow summit - station
    red blue - cabin
    mail bread - parcel)
  (:init
    (cable valley meadow)
    (cable meadow valley)
    (cable meadow gorge)
    (cable gorge meadow)
    (cable gorge summit)
    (docked red gorge)
    (docked blue valley)
    (vacant red)
    (vacant blue)
    (waiting mail valley)
    (waiting bread gorge))
  (:goal (and (waiting mail gorge) (waiting bread summit))))
