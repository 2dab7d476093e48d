(define (problem whole-house)
  (:domain home-butler)
  (:objects
    hall lounge kitchenette study bath - room
    lounge-table desk sill worktop stool - surface
    micro - microwave dishw - dishwasher cabinet pantry - cupboard washbasin ksink - sink
    stew pizza - food jug goblet - cup cactus palm - plant
    fork-set plate-b - dish paring-knife - knife)
  (:init
    (robot-in hall) (hand-empty) (lit hall) (lit kitchenette)
    (linked hall lounge) (linked lounge hall) (linked hall kitchenette) (linked
    kitchenette hall) (linked hall study) (linked study hall) (linked hall bath) (linked
    bath hall)
    (located lounge-table lounge) (located sill lounge) (located desk study) (located
    worktop kitchenette) (located stool bath)
    (located micro kitchenette) (located dishw kitchenette) (located ksink kitchenette)
    (located pantry kitchenette) (located cabinet study) (located washbasin bath)
    (inside stew pantry) (on pizza worktop) (on jug stool) (inside goblet cabinet) (dirty
    goblet) (dirty jug) (on cactus sill) (on palm desk) (on plate-b desk) (on fork-set
    worktop) (dirty fork-set) (on paring-knife worktop) (is-open dishw))
  (:goal (and
      (watered palm)
      (hot stew)
      (inside fork-set dishw)
      (sliced pizza))))
