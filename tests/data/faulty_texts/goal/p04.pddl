(define (problem bellringing-p04)
  (:domain bellringing)
  (:objects
    ground loft belfry - floor
    jan - ringer
    gloria - bell)
  (:init
    (stair ground loft)
    (stair loft belfry)
    (on-floor jan loft)
    (hangs gloria ground)
    (muffled gloria))
  (:goal (and (rung gloria) (on-floor jan belfry))))
