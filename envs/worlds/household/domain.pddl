; Household: a robot with one arm does chores. The 22 actions and the constraints stated for them are those of
; Guan et al. 2023, Appendix A.6; predicates carry the names used there.
(define (domain household)
  (:requirements :strips :typing :equality :negative-preconditions :disjunctive-preconditions)
  (:types
    furnitureAppliance householdObject - object
    smallReceptacle - householdObject)
  (:predicates
    (robot-at ?y - furnitureAppliance)
    (robot-holding ?x - householdObject)
    (robot-hand-empty)
    (object-on ?x - householdObject ?y - furnitureAppliance)
    (object-in ?x - householdObject ?z - smallReceptacle)
    (object-on-top-of ?x ?y - householdObject)
    (object-stacked ?x - householdObject)
    (object-clear ?x - householdObject)
    (opened ?y - furnitureAppliance)
    (closed ?y - furnitureAppliance)
    (opened-receptacle ?z - smallReceptacle)
    (closed-receptacle ?z - smallReceptacle)
    (appliance-on ?x - householdObject)
    (pickupable ?x - householdObject)
    (object-whole ?x - householdObject)
    (object-sliced ?x - householdObject)
    (object-mashed ?x - householdObject)
    (food-heated ?x - householdObject)
    (food-heated-pan ?x - householdObject)
    (object-dirty ?x - householdObject)
    (object-washed ?x - householdObject)
    (furniture-cleaned ?y - furnitureAppliance)
    (carpet-clean ?y - furnitureAppliance)
    (dustbin-full ?x - householdObject)
    (flat-surface ?y - furnitureAppliance)
    (openable ?y - furnitureAppliance)
    (microwave ?y - furnitureAppliance)
    (stove-burner ?y - furnitureAppliance)
    (sink-or-basin ?y - furnitureAppliance)
    (carpet ?y - furnitureAppliance)
    (trash-can ?y - furnitureAppliance)
    (openable-receptacle ?z - smallReceptacle)
    (cutting-board ?z - smallReceptacle)
    (pan ?z - smallReceptacle)
    (blender ?z - smallReceptacle)
    (stackable ?x - householdObject)
    (sliceable ?x - householdObject)
    (toggleable ?x - householdObject)
    (washable ?x - householdObject)
    (knife ?x - householdObject)
    (cloth ?x - householdObject)
    (handheld-vacuum-cleaner ?x - householdObject))

  (:action navigate-to-a-furniture-piece-or-an-appliance
    :parameters (?x ?y - furnitureAppliance)
    :precondition (and (robot-at ?x) (not (= ?x ?y)))
    :effect (and (robot-at ?y) (not (robot-at ?x))))

  (:action pick-up-an-object-on-or-in-a-furniture-piece-or-an-appliance
    :parameters (?x - householdObject ?y - furnitureAppliance)
    :precondition (and (robot-at ?y) (object-on ?x ?y) (pickupable ?x) (robot-hand-empty)
      (or (not (openable ?y)) (opened ?y))
      (or (not (stackable ?x)) (and (not (object-stacked ?x)) (object-clear ?x))))
    :effect (and (robot-holding ?x) (not (robot-hand-empty)) (not (object-on ?x ?y))))

  (:action put-an-object-on-or-in-a-furniture-piece-or-an-appliance
    :parameters (?x - householdObject ?y - furnitureAppliance)
    :precondition (and (robot-at ?y) (robot-holding ?x) (or (not (openable ?y)) (opened ?y)))
    :effect (and (object-on ?x ?y) (robot-hand-empty) (not (robot-holding ?x))))

  (:action stack-objects
    :parameters (?x ?y - householdObject ?z - furnitureAppliance)
    :precondition (and (robot-at ?z) (robot-holding ?x) (object-on ?y ?z) (flat-surface ?z)
      (stackable ?x) (stackable ?y) (object-clear ?y))
    :effect (and (object-on ?x ?z) (object-on-top-of ?x ?y) (object-stacked ?x) (robot-hand-empty)
      (not (object-clear ?y)) (not (robot-holding ?x))))

  (:action unstack-objects
    :parameters (?x ?y - householdObject ?z - furnitureAppliance)
    :precondition (and (robot-at ?z) (object-on ?x ?z) (object-on ?y ?z) (object-on-top-of ?x ?y)
      (pickupable ?x) (object-clear ?x) (robot-hand-empty))
    :effect (and (robot-holding ?x) (object-clear ?y) (not (robot-hand-empty)) (not (object-on ?x ?z))
      (not (object-on-top-of ?x ?y)) (not (object-stacked ?x))))

  (:action open-a-furniture-piece-or-an-appliance
    :parameters (?y - furnitureAppliance)
    :precondition (and (robot-at ?y) (openable ?y) (closed ?y) (robot-hand-empty))
    :effect (and (opened ?y) (not (closed ?y))))

  (:action close-a-furniture-piece-or-an-appliance
    :parameters (?y - furnitureAppliance)
    :precondition (and (robot-at ?y) (openable ?y) (opened ?y) (robot-hand-empty))
    :effect (and (closed ?y) (not (opened ?y))))

  (:action toggle-a-small-appliance-on
    :parameters (?x - householdObject ?y - furnitureAppliance)
    :precondition (and (robot-at ?y) (object-on ?x ?y) (toggleable ?x) (not (appliance-on ?x))
      (robot-hand-empty))
    :effect (appliance-on ?x))

  (:action toggle-a-small-appliance-off
    :parameters (?x - householdObject ?y - furnitureAppliance)
    :precondition (and (robot-at ?y) (object-on ?x ?y) (toggleable ?x) (appliance-on ?x) (robot-hand-empty))
    :effect (not (appliance-on ?x)))

  (:action slice-an-object
    :parameters (?x ?k - householdObject ?y - furnitureAppliance ?z - smallReceptacle)
    :precondition (and (robot-at ?y) (robot-holding ?k) (knife ?k) (flat-surface ?y) (object-on ?z ?y)
      (cutting-board ?z) (object-in ?x ?z) (sliceable ?x) (object-whole ?x))
    :effect (and (object-sliced ?x) (not (object-whole ?x))))

  (:action heat-food-with-a-microwave
    :parameters (?x - householdObject ?y - furnitureAppliance ?z - smallReceptacle)
    :precondition (and (robot-at ?y) (microwave ?y) (closed ?y) (object-on ?z ?y) (object-in ?x ?z)
      (not (food-heated ?x)))
    :effect (and (food-heated ?x) (not (pickupable ?x))))

  (:action heat-food-with-pan
    :parameters (?x - householdObject ?z - smallReceptacle ?y - furnitureAppliance)
    :precondition (and (robot-at ?y) (stove-burner ?y) (pan ?z) (object-on ?z ?y) (object-in ?x ?z)
      (robot-hand-empty))
    :effect (and (food-heated-pan ?x) (not (pickupable ?x))))

  (:action transfer-food-from-one-small-receptacle-to-another
    :parameters (?x - householdObject ?z1 ?z2 - smallReceptacle ?y - furnitureAppliance)
    :precondition (and (robot-at ?y) (flat-surface ?y) (object-on ?z1 ?y) (object-on ?z2 ?y)
      (object-in ?x ?z1) (not (= ?z1 ?z2)) (robot-hand-empty)
      (or (not (openable-receptacle ?z1)) (opened-receptacle ?z1))
      (or (not (openable-receptacle ?z2)) (opened-receptacle ?z2))
      (or (not (stackable ?z1)) (and (not (object-stacked ?z1)) (object-clear ?z1)))
      (or (not (stackable ?z2)) (and (not (object-stacked ?z2)) (object-clear ?z2))))
    :effect (and (object-in ?x ?z2) (not (object-in ?x ?z1))))

  (:action put-an-object-onto-or-into-a-small-receptacle
    :parameters (?x - householdObject ?y - furnitureAppliance ?z - smallReceptacle)
    :precondition (and (robot-at ?y) (flat-surface ?y) (robot-holding ?x) (object-on ?z ?y)
      (or (not (openable-receptacle ?z)) (opened-receptacle ?z))
      (or (not (stackable ?z)) (and (not (object-stacked ?z)) (object-clear ?z))))
    :effect (and (object-in ?x ?z) (robot-hand-empty) (not (robot-holding ?x))))

  (:action pick-up-an-object-on-or-in-a-small-receptacle
    :parameters (?x - householdObject ?y - furnitureAppliance ?z - smallReceptacle)
    :precondition (and (robot-at ?y) (flat-surface ?y) (object-on ?z ?y) (object-in ?x ?z) (pickupable ?x)
      (robot-hand-empty)
      (or (not (openable-receptacle ?z)) (opened-receptacle ?z))
      (or (not (stackable ?z)) (and (not (object-stacked ?z)) (object-clear ?z))))
    :effect (and (robot-holding ?x) (not (robot-hand-empty)) (not (object-in ?x ?z))))

  (:action open-a-small-receptacle
    :parameters (?z - smallReceptacle ?y - furnitureAppliance)
    :precondition (and (robot-at ?y) (flat-surface ?y) (object-on ?z ?y) (openable-receptacle ?z)
      (closed-receptacle ?z) (robot-hand-empty)
      (or (not (stackable ?z)) (and (not (object-stacked ?z)) (object-clear ?z))))
    :effect (and (opened-receptacle ?z) (not (closed-receptacle ?z))))

  (:action close-a-small-receptacle
    :parameters (?z - smallReceptacle ?y - furnitureAppliance)
    :precondition (and (robot-at ?y) (flat-surface ?y) (object-on ?z ?y) (openable-receptacle ?z)
      (opened-receptacle ?z) (robot-hand-empty)
      (or (not (stackable ?z)) (and (not (object-stacked ?z)) (object-clear ?z))))
    :effect (and (closed-receptacle ?z) (not (opened-receptacle ?z))))

  (:action mash-food-with-a-blender
    :parameters (?z - smallReceptacle ?x - householdObject ?y - furnitureAppliance)
    :precondition (and (robot-at ?y) (object-on ?z ?y) (blender ?z) (object-in ?x ?z) (object-sliced ?x)
      (not (appliance-on ?z)) (robot-hand-empty))
    :effect (and (object-mashed ?x) (not (pickupable ?x))))

  (:action wash-an-object
    :parameters (?x - householdObject ?y - furnitureAppliance)
    :precondition (and (robot-at ?y) (sink-or-basin ?y) (robot-holding ?x) (washable ?x))
    :effect (and (object-washed ?x) (not (object-dirty ?x))))

  (:action wipe-a-surface
    :parameters (?y - furnitureAppliance ?x - householdObject)
    :precondition (and (robot-at ?y) (robot-holding ?x) (cloth ?x) (object-washed ?x))
    :effect (and (furniture-cleaned ?y) (object-dirty ?x) (not (object-washed ?x))))

  (:action vacuum-a-carpet
    :parameters (?x - householdObject ?y - furnitureAppliance)
    :precondition (and (robot-at ?y) (carpet ?y) (robot-holding ?x) (handheld-vacuum-cleaner ?x)
      (not (dustbin-full ?x)) (not (carpet-clean ?y)))
    :effect (and (carpet-clean ?y) (dustbin-full ?x)))

  (:action empty-a-vacuum-cleaner
    :parameters (?x - householdObject ?y - furnitureAppliance)
    :precondition (and (robot-at ?y) (trash-can ?y) (robot-holding ?x) (handheld-vacuum-cleaner ?x)
      (dustbin-full ?x) (or (not (openable ?y)) (opened ?y)))
    :effect (not (dustbin-full ?x))))
