(define (problem harbour-p03)
  (:domain harbour)
  (:objects
    east west - quay
    main back - yard
    otter - barge
    mule swan - truck
    tea wool - crate)
  (:init
    (canal east west)
    (canal west east)
    (road main back)
    (road back main)
    (joins main west)
    (joins back east)
    (moored otter east)
    (parked mule main)
    (parked swan back)
    (on-quay tea west)
    (on-quay wool east))
  (:goal (and (in-yard tea main) (in-yard wool main))))
