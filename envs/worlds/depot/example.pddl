(define (problem depot-example)
  (:domain depot)
  (:objects
    depot1 - depot
    distributor1 distributor2 - distributor
    truck1 - truck
    hoist1 hoist2 hoist3 - hoist
    pallet1 pallet2 pallet3 - pallet
    crate1 crate2 - crate)
  (:init
    (at truck1 distributor1)
    (at hoist1 depot1)
    (at hoist2 distributor1)
    (at hoist3 distributor2)
    (at pallet1 depot1)
    (at pallet2 distributor1)
    (at pallet3 distributor2)
    (at crate2 depot1)
    (at crate1 distributor2)
    (on crate2 pallet1)
    (on crate1 pallet3)
    (clear crate2)
    (clear pallet2)
    (clear crate1)
    (available hoist1)
    (available hoist2)
    (available hoist3))
  (:goal (and
    (on crate1 pallet1)
    (on crate2 pallet2))))
