(define (problem blocksworld-ood-p01)
  (:domain blocks-turning)
  (:objects
    b1 b2 b3 b4)
  (:init
    (handempty)
    (on b3 b1)
    (on b4 b3)
    (ontable b1)
    (ontable b2)
    (clear b4)
    (clear b2)
    (upright b1)
    (upright b3)
    (upright b4))
  (:goal (and
    (on b1 b3)
    (on b3 b2)
    (upright b4))))
