(define (problem greenhouse-p03)
  (:domain greenhouse)
  (:objects
    bench1 bench2 bench3 bench4 - bench
    bert - gardener
    ivy rose - plant)
  (:init
    (beside bench1 bench2)
    (beside bench2 bench1)
    (beside bench1 bench3)
    (beside bench3 bench1)
    (beside bench1 bench4)
    (beside bench4 bench1)
    (stands bert bench4)
    (free-handed bert)
    (potted ivy bench3)
    (dry ivy)
    (potted rose bench2)
    (dry rose))
  (:goal (and (watered ivy) (watered rose))))
