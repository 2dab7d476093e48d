(define (problem duel-and-banquet)
  (:domain theatre-props)
  (:objects
    ed flo gus - crew
    wing-l wing-r - area
    foil chalice - hand-prop
    table throne - furniture
    duel banquet - scene)
  (:init
    (adjacent wing-l stage) (adjacent stage wing-l)
    (adjacent wing-r stage) (adjacent stage wing-r)
    (adjacent wing-l prompt-corner) (adjacent prompt-corner wing-l)
    (at ed wing-r) (at flo wing-r) (at gus prompt-corner)
    (in foil stage) (in chalice wing-l) (in table wing-r) (in throne stage)
    (curtain-closed)
    (needs duel foil) (breaks duel foil) (clashes duel table) (needs banquet table) (needs banquet chalice)
    (before duel banquet))
  (:goal
    (and (played duel)
         (played banquet)
         (curtain-closed))))
