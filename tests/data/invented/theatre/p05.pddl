(define (problem three-scenes)
  (:domain theatre-props)
  (:objects
    jo kim lou - crew
    stage-left stage-right props-room workshop - area
    map pistol candle rope flute - hand-prop
    piano bed wardrobe - furniture
    attic parlour dream - scene)
  (:init
    (adjacent stage-left stage) (adjacent stage stage-left)
    (adjacent stage-right stage) (adjacent stage stage-right)
    (adjacent stage-left prompt-corner) (adjacent prompt-corner stage-left)
    (adjacent stage-right props-room) (adjacent props-room stage-right)
    (adjacent stage-left props-room) (adjacent props-room stage-left)
    (adjacent props-room workshop) (adjacent workshop props-room)
    (at jo stage-left) (at kim stage-right) (at lou prompt-corner)
    (in map stage) (in pistol props-room) (in candle stage-right) (in rope stage-left)
    (in piano stage) (in bed stage-left)
    (in flute props-room) (in wardrobe stage-right)
    (broken pistol)
    (needs attic map) (needs parlour piano) (needs parlour pistol) (needs dream candle) (needs dream bed) (breaks attic map)
    (clashes parlour map) (clashes attic pistol)
    (before attic parlour))
  (:goal
    (and (forall (?s - scene) (played ?s))
         (curtain-closed))))
