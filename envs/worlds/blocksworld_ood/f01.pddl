(define (problem blocksworld-ood-f01)
  (:domain blocks-turning)
  (:objects
    b1 b2 b3 b4)
  (:init
    (handempty)
    (on b3 b4)
    (on b1 b3)
    (on b2 b1)
    (ontable b4)
    (clear b2))
  (:goal (and
    (on b3 b1)
    (on b4 b3)
    (upright b1)
    (upright b2)
    (upright b4))))
