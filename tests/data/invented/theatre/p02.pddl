(define (problem broken-lamp)
  (:domain theatre-props)
  (:objects
    cy di - crew
    left-wing workshop - area
    lamp letter - hand-prop
    sofa - furniture
    opening finale - scene)
  (:init
    (adjacent left-wing stage) (adjacent stage left-wing)
    (adjacent left-wing prompt-corner) (adjacent prompt-corner left-wing)
    (adjacent left-wing workshop) (adjacent workshop left-wing)
    (at cy left-wing) (at di prompt-corner)
    (in lamp left-wing) (in letter stage) (in sofa stage)
    (broken lamp)
    (needs opening letter) (needs finale lamp) (clashes finale letter)
    (before opening finale))
  (:goal
    (and (played finale))))
