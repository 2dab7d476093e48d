(define (problem storage-f02)
  (:domain storage-propositional)
  (:objects
    hoist1 hoist2 - hoist
    crate1 crate2 - crate
    depot1 - depot
    container1 - container
    depot1-1-1 depot1-1-2 depot1-2-1 depot1-2-2 container1-1 container1-2 - storearea
    loadarea - transitarea)
  (:init
    (clear depot1-1-2)
    (clear depot1-2-1)
    (in depot1-2-2 depot1)
    (in depot1-1-2 depot1)
    (in depot1-2-1 depot1)
    (in depot1-1-1 depot1)
    (in container1-1 container1)
    (in container1-2 container1)
    (in crate1 container1)
    (in crate2 container1)
    (available hoist1)
    (available hoist2)
    (at hoist1 depot1-2-2)
    (at hoist2 depot1-1-1)
    (on crate1 container1-1)
    (on crate2 container1-2)
    (connected depot1-1-1 depot1-1-2)
    (connected depot1-1-1 depot1-2-1)
    (connected depot1-1-2 depot1-1-1)
    (connected depot1-1-2 depot1-2-2)
    (connected depot1-2-1 depot1-1-1)
    (connected depot1-2-1 depot1-2-2)
    (connected depot1-2-2 depot1-1-2)
    (connected depot1-2-2 depot1-2-1)
    (connected depot1-2-2 loadarea)
    (connected loadarea depot1-2-2)
    (connected container1-1 loadarea)
    (connected loadarea container1-1)
    (connected container1-2 loadarea)
    (connected loadarea container1-2))
  (:goal (and
    (in crate1 depot1)
    (in crate2 depot1))))
