(define (problem depot-p04)
  (:domain depot)
  (:objects
    depot1 - depot
    distributor1 distributor2 - distributor
    truck1 truck2 - truck
    hoist1 hoist2 hoist3 - hoist
    pallet1 pallet2 pallet3 - pallet
    crate1 crate2 crate3 crate4 crate5 - crate)
  (:init
    (at truck1 distributor1)
    (at truck2 depot1)
    (at hoist1 depot1)
    (at hoist2 distributor1)
    (at hoist3 distributor2)
    (at pallet1 depot1)
    (at pallet2 distributor1)
    (at pallet3 distributor2)
    (at crate3 distributor1)
    (at crate2 distributor1)
    (at crate1 distributor1)
    (at crate5 distributor1)
    (at crate4 distributor2)
    (on crate3 pallet2)
    (on crate2 crate3)
    (on crate1 crate2)
    (on crate5 crate1)
    (on crate4 pallet3)
    (clear pallet1)
    (clear crate5)
    (clear crate4)
    (available hoist1)
    (available hoist2)
    (available hoist3))
  (:goal (and
    (on crate1 crate4)
    (on crate2 crate1)
    (on crate4 crate5)
    (on crate5 pallet1))))
