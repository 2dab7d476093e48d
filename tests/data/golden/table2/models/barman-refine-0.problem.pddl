(define (problem barman-task)
  (:domain barman)
  (:objects shaker1 - shaker left right - hand shot1 shot2 - shot ingredient1 ingredient2 - ingredient cocktail1 - cocktail dispenser1 dispenser2 - dispenser l0 l1 l2 - level)
  ; (ontable ?c - container): container ?c stands on the table
  ; (handempty ?h - hand): hand ?h is empty
  ; (holding ?h - hand ?c - container): hand ?h holds container ?c (none initially)
  ; (empty ?c - container): container ?c is empty
  ; (clean ?c - container): container ?c is clean
  ; (contains ?c - container ?b - beverage): container ?c contains beverage ?b (none initially)
  ; (used ?s - shot ?b - beverage): shot glass ?s counts as used with ?b (none initially)
  ; (dispenses ?d - dispenser ?i - ingredient): dispenser ?d gives ingredient ?i
  ; (shaker-empty-level ?s - shaker ?l - level): ?l is the level of shaker ?s when it is empty
  ; (shaker-level ?s - shaker ?l - level): shaker ?s is at level ?l
  ; (next ?l1 - level ?l2 - level): level ?l1 is directly below level ?l2
  ; (unshaked ?s - shaker): shaker ?s is waiting to be shaken (none initially)
  ; (shaked ?s - shaker): shaker ?s is shaken (none initially)
  ; (cocktail-part1 ?c - cocktail ?i - ingredient): ?i is the first ingredient of cocktail ?c
  ; (cocktail-part2 ?c - cocktail ?i - ingredient): ?i is the second ingredient of cocktail ?c
  (:init
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
    (dispenses dispenser1 ingredient1)
    (dispenses dispenser2 ingredient2)
    (shaker-empty-level shaker1 l0)
    (shaker-level shaker1 l0)
    (next l0 l1)
    (next l1 l2)
    (cocktail-part1 cocktail1 ingredient1)
    (cocktail-part2 cocktail1 ingredient2))
  (:goal (and (contains shot1 cocktail1) (contains shot2 ingredient2))))
