(define (problem depot-f05)
  (:domain depot)
  (:objects
    depot1 - depot
    distributor1 distributor2 - distributor
    truck1 truck2 - truck
    hoist1 hoist2 hoist3 - hoist
    pallet1 pallet2 pallet3 pallet4 - pallet
    crate1 crate2 crate3 crate4 crate5 crate6 - crate)
  (:init
    (at truck1 distributor2)
    (at truck2 distributor2)
    (at hoist1 depot1)
    (at hoist2 distributor1)
    (at hoist3 distributor2)
    (at pallet1 depot1)
    (at pallet2 distributor1)
    (at pallet3 distributor2)
    (at pallet4 distributor2)
    (at crate4 depot1)
    (at crate1 distributor1)
    (at crate2 distributor2)
    (at crate5 distributor2)
    (at crate3 distributor2)
    (at crate6 distributor2)
    (on crate4 pallet1)
    (on crate1 pallet2)
    (on crate2 pallet3)
    (on crate5 pallet4)
    (on crate3 crate5)
    (on crate6 crate3)
    (clear crate4)
    (clear crate1)
    (clear crate2)
    (clear crate6)
    (available hoist1)
    (available hoist2)
    (available hoist3))
  (:goal (and
    (on crate1 crate3)
    (on crate2 pallet1)
    (on crate4 pallet4)
    (on crate5 pallet3))))
