(define (problem greenhouse-p01)
  (:domain greenhouse)
  (:objects
    bench1 bench2 bench3 - bench
    anna - gardener
    fern - plant)
  (:init
    (beside bench1 bench2)
    (beside bench2 bench1)
    (beside bench2 bench3)
    (beside bench3 bench2)
    (stands anna bench1)
    (free-handed anna)
    (potted fern bench2)
    (dry fern))
  (:goal (and (watered fern) (potted fern bench3))))
