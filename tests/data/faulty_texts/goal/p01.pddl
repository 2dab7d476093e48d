(define (problem bellringing-p01)
  (:domain bellringing)
  (:objects
    ground loft belfry - floor
    eva - ringer
    maria peter - bell)
  (:init
    (stair ground loft)
    (stair loft belfry)
    (on-floor eva ground)
    (hangs maria loft)
    (hangs peter belfry)
    (muffled maria)
    (clear peter))
  (:goal (and (rung maria) (rung peter))))
