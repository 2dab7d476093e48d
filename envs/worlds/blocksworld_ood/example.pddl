(define (problem blocksworld-ood-example)
  (:domain blocks-turning)
  (:objects
    b1 b2 b3 b4)
  (:init
    (handempty)
    (on b4 b2)
    (on b1 b4)
    (on b3 b1)
    (ontable b2)
    (clear b3)
    (upright b2)
    (upright b3)
    (upright b4))
  (:goal (and
    (on b2 b1)
    (on b3 b2)
    (upright b2)
    (upright b3))))
