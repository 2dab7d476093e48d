(define (problem harbour-p02)
  (:domain harbour)
  (:objects
    east west north - quay
    main back - yard
    otter heron - barge
    mule - truck
    tea silk - crate)
  (:init
    (canal east west)
    (canal west east)
    (canal west north)
    (canal north west)
    (road main back)
    (road back main)
    (joins main north)
    (moored otter west)
    (moored heron east)
    (parked mule main)
    (on-quay tea east)
    (on-quay silk north))
  (:goal (and (in-yard tea main) (in-yard silk back))))
