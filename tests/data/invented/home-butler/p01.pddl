(define (problem breakfast)
  (:domain home-butler)
  (:objects
    kitchen - room counter - surface basin - sink fridge - cupboard
    mug - cup plate - dish bread - food
    bread-knife - knife)
  (:init
    (robot-in kitchen) (hand-empty) (lit kitchen)
    (located counter kitchen) (located basin kitchen) (located fridge kitchen)
    (on bread-knife counter) (on mug counter) (dirty bread-knife) (dirty mug) (inside
    bread fridge) (on plate counter))
  (:goal (and
      (sliced bread))))
