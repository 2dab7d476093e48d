(define (problem barman-f02)
  (:domain barman)
  (:objects
    shaker1 - shaker
    left right - hand
    shot1 shot2 - shot
    ingredient1 ingredient2 ingredient3 - ingredient
    cocktail1 - cocktail
    dispenser1 dispenser2 dispenser3 - dispenser
    l0 l1 l2 - level)
  (:init
    (= (total-cost) 0)
    (ontable shaker1)
    (ontable shot1)
    (ontable shot2)
    (handempty left)
    (handempty right)
    (empty shaker1)
    (empty shot1)
    (clean shaker1)
    (clean shot1)
    (contains shot2 ingredient1)
    (used shot2 ingredient1)
    (dispenses dispenser1 ingredient2)
    (dispenses dispenser2 ingredient3)
    (dispenses dispenser3 ingredient1)
    (shaker-empty-level shaker1 l0)
    (shaker-level shaker1 l0)
    (next l0 l1)
    (next l1 l2)
    (cocktail-part1 cocktail1 ingredient2)
    (cocktail-part2 cocktail1 ingredient3))
  (:goal (and
    (contains shot1 cocktail1)
    (contains shot2 ingredient3))))
