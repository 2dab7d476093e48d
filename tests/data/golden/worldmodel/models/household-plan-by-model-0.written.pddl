(define (domain household)
  (:requirements :strips :typing :negative-preconditions :disjunctive-preconditions :equality)
  (:types furnitureappliance householdobject - object smallreceptacle - householdobject)
  (:predicates
    (robot-at ?x - furnitureappliance)
    (object-on ?x - householdobject ?y - furnitureappliance)
    (pickupable ?x - householdobject)
    (hand-empty)
    (holding ?x - householdobject)
    (openable ?x - object)
    (opened ?x - object)
    (stackable ?x - householdobject)
    (object-clear ?x - householdobject)
    (stacked ?x - householdobject)
    (flat-surface ?x - furnitureappliance)
    (on-top-of ?x - householdobject ?y - householdobject)
    (closed ?x - object)
    (toggleable ?x - householdobject)
    (switched-on ?x - householdobject)
    (is-knife ?x - householdobject)
    (is-cutting-board ?x - smallreceptacle)
    (in-receptacle ?x - householdobject ?z - smallreceptacle)
    (sliceable ?x - householdobject)
    (whole ?x - householdobject)
    (sliced ?x - householdobject)
    (is-microwave ?x - furnitureappliance)
    (microwaved ?x - householdobject)
    (is-stove-burner ?x - furnitureappliance)
    (is-pan ?x - smallreceptacle)
    (pan-heated ?x - householdobject)
    (is-blender ?x - smallreceptacle)
    (mashed ?x - householdobject)
    (is-sink ?x - furnitureappliance)
    (washable ?x - householdobject)
    (washed ?x - householdobject)
    (dirty ?x - householdobject)
    (is-cloth ?x - householdobject)
    (wiped ?x - furnitureappliance)
    (is-carpet ?x - furnitureappliance)
    (vacuumed ?x - furnitureappliance)
    (is-vacuum-cleaner ?x - householdobject)
    (bin-full ?x - householdobject)
    (is-trash-can ?x - furnitureappliance))

  (:action navigate-to-a-furniture-piece-or-an-appliance
    :parameters (?x ?y - furnitureappliance)
    :precondition (and
      (robot-at ?x)
      (not (= ?x ?y)))
    :effect (and
      (robot-at ?y)
      (not (robot-at ?x))))

  (:action pick-up-an-object-on-or-in-a-furniture-piece-or-an-appliance
    :parameters (?x - householdobject ?y - furnitureappliance)
    :precondition (and
      (robot-at ?y)
      (object-on ?x ?y)
      (pickupable ?x)
      (hand-empty)
      (imply (openable ?y) (opened ?y))
      (imply (stackable ?x) (and (object-clear ?x) (not (stacked ?x)))))
    :effect (and
      (holding ?x)
      (not (hand-empty))
      (not (object-on ?x ?y))))

  (:action put-an-object-on-or-in-a-furniture-piece-or-an-appliance
    :parameters (?x - householdobject ?y - furnitureappliance)
    :precondition (and
      (robot-at ?y)
      (holding ?x)
      (imply (openable ?y) (opened ?y)))
    :effect (and
      (object-on ?x ?y)
      (hand-empty)
      (not (holding ?x))))

  (:action stack-objects
    :parameters (?x ?y - householdobject ?z - furnitureappliance)
    :precondition (and
      (robot-at ?z)
      (holding ?x)
      (object-on ?y ?z)
      (flat-surface ?z)
      (stackable ?x)
      (stackable ?y)
      (object-clear ?y))
    :effect (and
      (object-on ?x ?z)
      (on-top-of ?x ?y)
      (stacked ?x)
      (hand-empty)
      (not (holding ?x))
      (not (object-clear ?y))))

  (:action unstack-objects
    :parameters (?x ?y - householdobject ?z - furnitureappliance)
    :precondition (and
      (robot-at ?z)
      (object-on ?x ?z)
      (object-on ?y ?z)
      (on-top-of ?x ?y)
      (object-clear ?x)
      (pickupable ?x)
      (hand-empty))
    :effect (and
      (holding ?x)
      (not (hand-empty))
      (not (object-on ?x ?z))
      (not (on-top-of ?x ?y))
      (not (stacked ?x))
      (object-clear ?y)))

  (:action open-a-furniture-piece-or-an-appliance
    :parameters (?y - furnitureappliance)
    :precondition (and
      (robot-at ?y)
      (hand-empty)
      (openable ?y)
      (closed ?y))
    :effect (and
      (opened ?y)
      (not (closed ?y))))

  (:action close-a-furniture-piece-or-an-appliance
    :parameters (?y - furnitureappliance)
    :precondition (and
      (robot-at ?y)
      (hand-empty)
      (openable ?y)
      (opened ?y))
    :effect (and
      (closed ?y)
      (not (opened ?y))))

  (:action toggle-a-small-appliance-on
    :parameters (?x - householdobject ?y - furnitureappliance)
    :precondition (and
      (robot-at ?y)
      (hand-empty)
      (object-on ?x ?y)
      (toggleable ?x)
      (not (switched-on ?x)))
    :effect (and
      (switched-on ?x)))

  (:action toggle-a-small-appliance-off
    :parameters (?x - householdobject ?y - furnitureappliance)
    :precondition (and
      (robot-at ?y)
      (hand-empty)
      (object-on ?x ?y)
      (toggleable ?x)
      (switched-on ?x))
    :effect (and
      (not (switched-on ?x))))

  (:action slice-an-object
    :parameters (?x ?k - householdobject ?y - furnitureappliance ?z - smallreceptacle)
    :precondition (and
      (robot-at ?y)
      (holding ?k)
      (is-knife ?k)
      (flat-surface ?y)
      (is-cutting-board ?z)
      (object-on ?z ?y)
      (in-receptacle ?x ?z)
      (sliceable ?x)
      (whole ?x))
    :effect (and
      (sliced ?x)
      (not (whole ?x))))

  (:action heat-food-with-a-microwave
    :parameters (?x - householdobject ?y - furnitureappliance ?z - smallreceptacle)
    :precondition (and
      (robot-at ?y)
      (is-microwave ?y)
      (closed ?y)
      (object-on ?z ?y)
      (in-receptacle ?x ?z)
      (not (microwaved ?x)))
    :effect (and
      (microwaved ?x)
      (not (pickupable ?x))))

  (:action heat-food-with-pan
    :parameters (?x - householdobject ?z - smallreceptacle ?y - furnitureappliance)
    :precondition (and
      (robot-at ?y)
      (is-stove-burner ?y)
      (hand-empty)
      (is-pan ?z)
      (object-on ?z ?y)
      (in-receptacle ?x ?z))
    :effect (and
      (pan-heated ?x)
      (not (pickupable ?x))))

  (:action transfer-food-from-one-small-receptacle-to-another
    :parameters (?x - householdobject ?z1 ?z2 - smallreceptacle ?y - furnitureappliance)
    :precondition (and
      (robot-at ?y)
      (flat-surface ?y)
      (hand-empty)
      (not (= ?z1 ?z2))
      (object-on ?z1 ?y)
      (object-on ?z2 ?y)
      (imply (openable ?z1) (opened ?z1))
      (imply (stackable ?z1) (and (object-clear ?z1) (not (stacked ?z1))))
      (imply (openable ?z2) (opened ?z2))
      (imply (stackable ?z2) (and (object-clear ?z2) (not (stacked ?z2))))
      (in-receptacle ?x ?z1))
    :effect (and
      (in-receptacle ?x ?z2)
      (not (in-receptacle ?x ?z1))))

  (:action put-an-object-onto-or-into-a-small-receptacle
    :parameters (?x - householdobject ?y - furnitureappliance ?z - smallreceptacle)
    :precondition (and
      (robot-at ?y)
      (flat-surface ?y)
      (holding ?x)
      (object-on ?z ?y)
      (imply (openable ?z) (opened ?z))
      (imply (stackable ?z) (and (object-clear ?z) (not (stacked ?z)))))
    :effect (and
      (in-receptacle ?x ?z)
      (hand-empty)
      (not (holding ?x))))

  (:action pick-up-an-object-on-or-in-a-small-receptacle
    :parameters (?x - householdobject ?y - furnitureappliance ?z - smallreceptacle)
    :precondition (and
      (robot-at ?y)
      (flat-surface ?y)
      (hand-empty)
      (object-on ?z ?y)
      (imply (openable ?z) (opened ?z))
      (imply (stackable ?z) (and (object-clear ?z) (not (stacked ?z))))
      (in-receptacle ?x ?z)
      (pickupable ?x))
    :effect (and
      (holding ?x)
      (not (hand-empty))
      (not (in-receptacle ?x ?z))))

  (:action open-a-small-receptacle
    :parameters (?z - smallreceptacle ?y - furnitureappliance)
    :precondition (and
      (robot-at ?y)
      (flat-surface ?y)
      (hand-empty)
      (object-on ?z ?y)
      (openable ?z)
      (closed ?z)
      (imply (stackable ?z) (and (object-clear ?z) (not (stacked ?z)))))
    :effect (and
      (opened ?z)
      (not (closed ?z))))

  (:action close-a-small-receptacle
    :parameters (?z - smallreceptacle ?y - furnitureappliance)
    :precondition (and
      (robot-at ?y)
      (flat-surface ?y)
      (hand-empty)
      (object-on ?z ?y)
      (openable ?z)
      (opened ?z)
      (imply (stackable ?z) (and (object-clear ?z) (not (stacked ?z)))))
    :effect (and
      (closed ?z)
      (not (opened ?z))))

  (:action mash-food-with-a-blender
    :parameters (?z - smallreceptacle ?x - householdobject ?y - furnitureappliance)
    :precondition (and
      (robot-at ?y)
      (hand-empty)
      (is-blender ?z)
      (object-on ?z ?y)
      (not (switched-on ?z))
      (in-receptacle ?x ?z)
      (sliced ?x))
    :effect (and
      (mashed ?x)
      (not (pickupable ?x))))

  (:action wash-an-object
    :parameters (?x - householdobject ?y - furnitureappliance)
    :precondition (and
      (robot-at ?y)
      (is-sink ?y)
      (holding ?x)
      (washable ?x))
    :effect (and
      (washed ?x)
      (not (dirty ?x))))

  (:action wipe-a-surface
    :parameters (?y - furnitureappliance ?x - householdobject)
    :precondition (and
      (robot-at ?y)
      (holding ?x)
      (is-cloth ?x)
      (washed ?x))
    :effect (and
      (wiped ?y)
      (dirty ?x)
      (not (washed ?x))))

  (:action vacuum-a-carpet
    :parameters (?x - householdobject ?y - furnitureappliance)
    :precondition (and
      (robot-at ?y)
      (is-carpet ?y)
      (not (vacuumed ?y))
      (holding ?x)
      (is-vacuum-cleaner ?x)
      (not (bin-full ?x)))
    :effect (and
      (vacuumed ?y)
      (bin-full ?x)))

  (:action empty-a-vacuum-cleaner
    :parameters (?x - householdobject ?y - furnitureappliance)
    :precondition (and
      (robot-at ?y)
      (is-trash-can ?y)
      (imply (openable ?y) (opened ?y))
      (holding ?x)
      (is-vacuum-cleaner ?x)
      (bin-full ?x))
    :effect (and
      (not (bin-full ?x)))))
