(define (problem two-honeys)
  (:domain wandering-apiary)
  (:objects
    dee - keeper
    lorry - van
    hv1 hv2 - hive
    orchard ridge barn - site
    apple thyme - flower
    s1 s2 - box
    tin-smoker - smoker
    honey-drum - extractor)
  (:init
    (road orchard ridge) (road orchard barn)
    (at dee barn) (at lorry barn) (at honey-drum barn) (at hv1 orchard) (at hv2 ridge)
    (carries dee tin-smoker)
    (grounded hv1) (grounded hv2) (calm hv1)
    (spare s1) (stacked s2 hv2)
    (in-bloom orchard apple) (in-bloom ridge thyme))
  (:goal
    (and (bottled apple)
         (bottled thyme)
         (calm hv2))))
