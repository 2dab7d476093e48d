(define (problem barman-p01)
  (:domain barman)
  (:objects
    shaker1 - shaker
    left right - hand
    shot1 shot2 - shot
    ingredient1 ingredient2 - ingredient
    cocktail1 - cocktail
    dispenser1 dispenser2 - dispenser
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
    (empty shot2)
    (clean shaker1)
    (clean shot1)
    (clean shot2)
    (dispenses dispenser1 ingredient2)
    (dispenses dispenser2 ingredient1)
    (shaker-empty-level shaker1 l0)
    (shaker-level shaker1 l0)
    (next l0 l1)
    (next l1 l2)
    (cocktail-part1 cocktail1 ingredient1)
    (cocktail-part2 cocktail1 ingredient2))
  (:goal (and
    (contains shot2 cocktail1))))
