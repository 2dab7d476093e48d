(define (problem harbour-p01)
  (:domain harbour)
  (:objects
    east west - quay
    main back - yard
    otter - barge
    mule - truck
    tea - crate)
  (:init
    (canal east west)
    (canal west east)
    (road main back)
    (road back main)
    (joins main west)
    (moored otter east)
    (parked mule back)
    (on-quay tea east))
  (:goal (and (in-yard tea back))))
