(define (problem barman-p03)
  (:domain barman)
  (:objects
    shaker1 - shaker
    left right - hand
    shot1 shot2 - shot
    ingredient1 ingredient2 ingredient3 - ingredient
    cocktail1 cocktail2 - cocktail
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
    (empty shot2)
    (clean shaker1)
    (clean shot1)
    (clean shot2)
    (dispenses dispenser1 ingredient3)
    (dispenses dispenser2 ingredient2)
    (dispenses dispenser3 ingredient1)
    (shaker-empty-level shaker1 l0)
    (shaker-level shaker1 l0)
    (next l0 l1)
    (next l1 l2)
    (cocktail-part1 cocktail1 ingredient3)
    (cocktail-part2 cocktail1 ingredient2)
    (cocktail-part1 cocktail2 ingredient3)
    (cocktail-part2 cocktail2 ingredient1))
  (:goal (and
    (contains shot1 cocktail2)
    (contains shot2 cocktail1))))
