(define (problem blocksworld-p04)
  (:domain blocks)
  (:objects
    b1 b2 b3 b4 b5)
  (:init
    (handempty)
    (on b2 b4)
    (on b3 b2)
    (on b5 b1)
    (ontable b4)
    (ontable b1)
    (clear b3)
    (clear b5))
  (:goal (and
    (on b3 b1)
    (on b4 b3)
    (on b5 b4))))
