(define (problem harbour-p04)
  (:domain harbour)
  (:objects
    east west - quay
    main back - yard
    heron - barge
    mule - truck
    wool - crate)
  (:init
    (canal east west)
    (canal west east)
    (road main back)
    (joins back east)
    (joins main east)
    (moored heron west)
    (parked mule main)
    (on-quay wool west))
  (:goal (and (in-yard wool back))))
