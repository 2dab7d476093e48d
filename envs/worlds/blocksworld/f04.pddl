(define (problem blocksworld-f04)
  (:domain blocks)
  (:objects
    b1 b2 b3 b4 b5)
  (:init
    (handempty)
    (on b1 b4)
    (on b5 b1)
    (on b2 b3)
    (ontable b4)
    (ontable b3)
    (clear b5)
    (clear b2))
  (:goal (and
    (on b2 b1)
    (on b5 b4))))
