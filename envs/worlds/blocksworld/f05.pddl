(define (problem blocksworld-f05)
  (:domain blocks)
  (:objects
    b1 b2 b3 b4 b5 b6)
  (:init
    (handempty)
    (on b6 b5)
    (on b4 b6)
    (on b3 b4)
    (on b2 b1)
    (ontable b5)
    (ontable b1)
    (clear b3)
    (clear b2))
  (:goal (and
    (on b1 b5)
    (on b4 b2)
    (on b5 b6)
    (on b6 b4))))
