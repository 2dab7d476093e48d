(define (problem barman-p02)
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
    (contains shot2 ingredient2)
    (used shot2 ingredient2)
    (dispenses dispenser1 ingredient1)
    (dispenses dispenser2 ingredient2)
    (dispenses dispenser3 ingredient3)
    (shaker-empty-level shaker1 l0)
    (shaker-level shaker1 l0)
    (next l0 l1)
    (next l1 l2)
    (cocktail-part1 cocktail1 ingredient3)
    (cocktail-part2 cocktail1 ingredient1))
  (:goal (and
    (contains shot1 cocktail1)
    (contains shot2 ingredient2))))
