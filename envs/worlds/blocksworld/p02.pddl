(define (problem blocksworld-p02)
  (:domain blocks)
  (:objects
    b1 b2 b3 b4)
  (:init
    (handempty)
    (on b3 b2)
    (on b1 b4)
    (ontable b2)
    (ontable b4)
    (clear b3)
    (clear b1))
  (:goal (and
    (on b2 b1)
    (on b3 b4))))
