(define (problem full-season)
  (:domain wandering-apiary)
  (:objects
    gus - keeper
    wagon - van
    w1 w2 w3 - hive
    home forest meadow marsh - site
    acacia chestnut mint - flower
    d1 d2 d3 - box
    bellows - smoker
    press-drum tank - extractor)
  (:init
    (road home forest) (road home meadow) (road meadow marsh)
    (at gus home) (at wagon home) (at press-drum home) (at tank meadow)
    (carries gus bellows)
    (at w1 home) (at w2 forest) (at w3 meadow)
    (grounded w1) (grounded w2) (grounded w3) (calm w1)
    (spare d1) (stacked d2 w2) (spare d3)
    (in-bloom home acacia) (in-bloom forest chestnut) (in-bloom meadow acacia) (in-bloom marsh mint))
  (:goal
    (and (bottled chestnut)
         (bottled mint)
         (bottled acacia)
         (forall (?k - smoker) (not (lit ?k))))))
