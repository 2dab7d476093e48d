(define (problem garden-hive)
  (:domain wandering-apiary)
  (:objects
    bea - keeper
    truck - van
    h1 - hive
    garden shed - site
    clover - flower
    box1 - box
    smoker1 - smoker
    drum - extractor)
  (:init
    (road garden shed)
    (at bea garden) (at truck garden) (at h1 garden) (at drum shed)
    (carries bea smoker1)
    (grounded h1) (spare box1)
    (in-bloom garden clover))
  (:goal
    (and (bottled clover))))
