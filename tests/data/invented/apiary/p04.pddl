(define (problem move-before-rain)
  (:domain wandering-apiary)
  (:objects
    eli fern - keeper
    van1 van2 - van
    q1 q2 q3 - hive
    valley moor mill - site
    lime bell-heather - flower
    u1 u2 - box
    sm1 sm2 - smoker
    mill-drum - extractor)
  (:init
    (road valley moor) (road moor mill)
    (at eli valley) (at fern mill) (at van1 valley) (at van2 mill) (at mill-drum mill)
    (at q1 valley) (at q2 valley) (at q3 moor)
    (carries eli sm1) (carries fern sm2) (lit sm2)
    (grounded q1) (grounded q2) (grounded q3)
    (spare u2) (stacked u1 q2) (ripe u1) (honey u1 lime)
    (in-bloom valley lime) (in-bloom moor bell-heather))
  (:goal
    (and (at q1 moor)
         (grounded q1)
         (bottled lime)
         (stacked u2 q3)
         (ripe u2))))
