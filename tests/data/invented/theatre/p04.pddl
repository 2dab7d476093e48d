(define (problem strike-the-set)
  (:domain theatre-props)
  (:objects
    hal ivy - crew
    wing dock store - area
    crown skull lantern spade sceptre - hand-prop
    coffin bier - furniture
    graveyard court - scene)
  (:init
    (adjacent wing stage) (adjacent stage wing)
    (adjacent wing prompt-corner) (adjacent prompt-corner wing)
    (adjacent wing dock) (adjacent dock wing)
    (adjacent dock store) (adjacent store dock)
    (at hal wing) (at ivy prompt-corner)
    (in skull dock) (in crown wing) (in coffin stage) (in lantern stage)
    (in spade store) (in sceptre store) (in bier dock) (broken spade)
    (needs graveyard coffin) (needs graveyard lantern) (breaks graveyard lantern)
    (needs court crown) (clashes court coffin)
    (before graveyard court))
  (:goal
    (and (played court)
         (not (broken lantern)))))
