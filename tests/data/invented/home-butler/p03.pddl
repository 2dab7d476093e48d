(define (problem clean-up)
  (:domain home-butler)
  (:objects
    living kitchen - room
    sofa-table bench - surface
    dw - dishwasher shelf - cupboard
    saucer tray - dish beaker - cup ivy - plant cake - food)
  (:init
    (robot-in living) (hand-empty) (lit living)
    (linked kitchen living) (linked living kitchen)
    (located sofa-table living) (located bench kitchen) (located dw kitchen) (located
    shelf kitchen)
    (on ivy sofa-table) (on cake bench) (on saucer sofa-table) (on tray sofa-table) (on
    beaker bench) (dirty saucer) (dirty tray) (dirty beaker) (is-open dw))
  (:goal (and
      (not (dirty saucer))
      (not (dirty tray))
      (inside tray shelf)
      (not (is-open dw)))))
