(define (problem blocksworld-f02)
  (:domain blocks)
  (:objects
    b1 b2 b3 b4)
  (:init
    (handempty)
    (on b4 b2)
    (on b1 b3)
    (ontable b2)
    (ontable b3)
    (clear b4)
    (clear b1))
  (:goal (and
    (on b3 b2)
    (on b4 b3))))
