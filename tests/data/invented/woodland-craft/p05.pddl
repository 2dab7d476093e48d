(define (problem archipelago)
  (:domain woodland-craft)
  (:objects
    beach jungle isle1 isle2 isle3 volcano temple reef wreck lagoon atoll - spot
    q0 q1 q2 q3 q4 - num
    idol pearl anchor - treasure)
  (:init
    (player-at beach)
    (path beach reef) (path reef beach) (path reef wreck) (path wreck reef) (path isle2
    lagoon) (path lagoon isle2) (path beach jungle) (path jungle beach) (path isle1 isle2)
    (path isle2 isle1) (path isle2 volcano) (path volcano isle2) (path jungle isle3) (path
    isle3 jungle) (path isle3 temple) (path temple isle3)
    (river beach isle1) (river isle1 beach) (river lagoon atoll) (river atoll lagoon)
    (succ q0 q1) (succ q1 q2) (succ q2 q3) (succ q3 q4)
    (have wood q4) (have stone q0) (have ore q0)
    (grove jungle) (rock beach) (rock isle1) (rock isle2) (vein volcano) (table-at jungle)
    (monster-at temple) (treasure-at idol temple) (treasure-at pearl isle2) (treasure-at
    anchor wreck) (has-tool wooden-pick))
  (:goal (and
      (collected idol)
      (collected pearl))))
