(define (problem bellringing-p03)
  (:domain bellringing)
  (:objects
    ground loft belfry - floor
    eva jan - ringer
    maria peter gloria - bell)
  (:init
    (stair ground loft)
    (stair loft belfry)
    (on-floor eva ground)
    (on-floor jan belfry)
    (hangs maria loft)
    (hangs peter belfry)
    (hangs gloria loft)
    (muffled maria)
    (muffled peter)
    (clear gloria))
  (:goal (and (rung gloria) (on-floor eva belfry))))
