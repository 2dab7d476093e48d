(define (problem blocksworld-p03)
  (:domain blocks)
  (:objects
    b1 b2 b3 b4 b5)
  (:init
    (handempty)
    (on b1 b4)
    (on b2 b3)
    (ontable b4)
    (ontable b5)
    (ontable b3)
    (clear b1)
    (clear b5)
    (clear b2))
  (:goal (and
    (on b2 b3)
    (on b4 b2)
    (on b5 b4))))
