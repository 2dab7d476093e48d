(define (problem blocksworld-f01)
  (:domain blocks)
  (:objects
    b1 b2 b3 b4)
  (:init
    (handempty)
    (on b4 b1)
    (ontable b2)
    (ontable b1)
    (ontable b3)
    (clear b2)
    (clear b4)
    (clear b3))
  (:goal (and
    (on b1 b2)
    (on b2 b3)
    (on b3 b4))))
