(define (problem blocksworld-p01)
  (:domain blocks)
  (:objects
    b1 b2 b3 b4)
  (:init
    (handempty)
    (on b4 b3)
    (on b1 b4)
    (on b2 b1)
    (ontable b3)
    (clear b2))
  (:goal (and
    (on b1 b2)
    (on b3 b4)
    (on b4 b1))))
