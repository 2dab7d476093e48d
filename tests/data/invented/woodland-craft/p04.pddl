(define (problem dragon-slayer)
  (:domain woodland-craft)
  (:objects
    base wood-a wood-b rocks pit lair islet hamlet - spot
    c0 c1 c2 c3 c4 - num
    crown coin cup-of-gold - treasure)
  (:init
    (player-at base)
    (path base hamlet) (path hamlet base) (path base wood-a) (path wood-a base) (path base
    wood-b) (path wood-b base) (path wood-a rocks) (path rocks wood-a) (path rocks pit)
    (path pit rocks) (path base lair) (path lair base)
    (river hamlet islet) (river islet hamlet)
    (succ c0 c1) (succ c1 c2) (succ c2 c3) (succ c3 c4)
    (have wood c0) (have stone c0) (have ore c0)
    (grove wood-a) (grove wood-b) (rock rocks) (rock pit) (vein pit) (table-at wood-a)
    (has-tool wooden-pick) (monster-at lair) (treasure-at crown lair) (treasure-at coin
    islet) (treasure-at cup-of-gold hamlet))
  (:goal (and
      (collected crown))))
