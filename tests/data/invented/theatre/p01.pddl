(define (problem one-act)
  (:domain theatre-props)
  (:objects
    al bo - crew
    wing - area
    goblet sword fan - hand-prop
    bench screen - furniture
    act1 - scene)
  (:init
    (adjacent wing stage) (adjacent stage wing)
    (adjacent wing prompt-corner) (adjacent prompt-corner wing)
    (at al wing) (at bo wing)
    (in goblet wing) (in sword wing) (in bench wing) (in fan wing) (in screen stage)
    (curtain-closed)
    (needs act1 goblet) (needs act1 bench))
  (:goal
    (and (played act1))))
