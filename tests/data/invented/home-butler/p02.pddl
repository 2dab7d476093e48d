(define (problem hot-soup)
  (:domain home-butler)
  (:objects
    kitchen dining - room
    worktop table - surface
    mw - microwave basin - sink
    soup - food glass - cup fern - plant bowl - dish)
  (:init
    (robot-in dining) (hand-empty)
    (linked kitchen dining) (linked dining kitchen)
    (located worktop kitchen) (located mw kitchen) (located basin kitchen) (located table
    dining)
    (on soup worktop) (on glass worktop) (on fern table) (on bowl worktop) (dirty bowl))
  (:goal (and
      (hot soup)
      (on soup table)
      (watered fern))))
