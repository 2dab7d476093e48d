(define (problem greenhouse-p04)
  (:domain greenhouse)
  (:objects
    bench1 bench2 bench3 - bench
    anna bert - gardener
    ivy - plant)
  (:init
    (beside bench1 bench2)
    (beside bench2 bench1)
    (beside bench2 bench3)
    (beside bench3 bench2)
    (stands anna bench3)
    (stands bert bench1)
    (free-handed anna)
    (free-handed bert)
    (potted ivy bench1)
    (dry ivy))
  (:goal (and (watered ivy) (potted ivy bench2))))
