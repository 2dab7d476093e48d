(define (problem greenhouse-p02)
  (:domain greenhouse)
  (:objects
    bench1 bench2 bench3 bench4 - bench
    anna - gardener
    fern rose - plant)
  (:init
    (beside bench1 bench2)
    (beside bench2 bench1)
    (beside bench2 bench3)
    (beside bench3 bench2)
    (beside bench3 bench4)
    (beside bench4 bench3)
    (stands anna bench2)
    (free-handed anna)
    (potted fern bench1)
    (potted rose bench4)
    (dry rose))
  (:goal (and (watered rose) (potted fern bench4))))
