(define (problem to-the-heath)
  (:domain wandering-apiary)
  (:objects
    carl - keeper
    pickup - van
    h1 h2 - hive
    farm heath - site
    heather rape - flower
    bx by - box
    puffer - smoker
    spinner - extractor)
  (:init
    (road farm heath)
    (at carl farm) (at pickup farm) (at h1 farm) (at h2 farm) (at spinner heath)
    (carries carl puffer) (lit puffer)
    (grounded h1) (grounded h2) (calm h2)
    (spare bx) (stacked by h2) (ripe by) (honey by rape)
    (in-bloom heath heather) (in-bloom farm rape))
  (:goal
    (and (bottled heather)
         (at h1 heath))))
