(define (problem depot-p03)
  (:domain depot)
  (:objects
    depot1 - depot
    distributor1 distributor2 - distributor
    truck1 truck2 - truck
    hoist1 hoist2 hoist3 - hoist
    pallet1 pallet2 pallet3 - pallet
    crate1 crate2 crate3 crate4 - crate)
  (:init
    (at truck1 depot1)
    (at truck2 depot1)
    (at hoist1 depot1)
    (at hoist2 distributor1)
    (at hoist3 distributor2)
    (at pallet1 depot1)
    (at pallet2 distributor1)
    (at pallet3 distributor2)
    (at crate4 depot1)
    (at crate2 depot1)
    (at crate1 distributor2)
    (at crate3 distributor2)
    (on crate4 pallet1)
    (on crate2 crate4)
    (on crate1 pallet3)
    (on crate3 crate1)
    (clear crate2)
    (clear pallet2)
    (clear crate3)
    (available hoist1)
    (available hoist2)
    (available hoist3))
  (:goal (and
    (on crate1 pallet1)
    (on crate2 pallet3)
    (on crate4 pallet2))))
