(define (problem first-night)
  (:domain woodland-craft)
  (:objects
    camp forest hill cave - spot
    n0 n1 n2 - num
    gem - treasure)
  (:init
    (player-at camp)
    (path camp forest) (path forest camp) (path camp hill) (path hill camp)
    (river hill cave) (river cave hill)
    (succ n0 n1) (succ n1 n2)
    (have wood n0) (have stone n0) (have ore n0)
    (grove forest) (rock hill) (treasure-at gem cave))
  (:goal (and
      (collected gem))))
