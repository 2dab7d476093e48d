(define (problem bellringing-p02)
  (:domain bellringing)
  (:objects
    ground loft belfry - floor
    eva - ringer
    maria peter anna - bell)
  (:init
    (stair ground loft)
    (stair loft belfry)
    (on-floor eva belfry)
    (hangs maria loft)
    (hangs peter belfry)
    (hangs anna ground)
    (clear maria)
    (clear peter)
    (muffled anna))
  (:goal (and (rung anna) (on-floor eva loft))))
