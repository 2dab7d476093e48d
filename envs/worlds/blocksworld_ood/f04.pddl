(define (problem blocksworld-ood-f04)
  (:domain blocks-turning)
  (:objects
    b1 b2 b3 b4 b5)
  (:init
    (handempty)
    (on b2 b1)
    (on b5 b2)
    (on b4 b5)
    (on b3 b4)
    (ontable b1)
    (clear b3)
    (upright b4))
  (:goal (and
    (on b1 b4)
    (on b2 b5)
    (on b4 b2))))
