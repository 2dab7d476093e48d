(define (problem blocksworld-f03)
  (:domain blocks)
  (:objects
    b1 b2 b3 b4 b5)
  (:init
    (handempty)
    (on b1 b4)
    (on b2 b1)
    (ontable b4)
    (ontable b3)
    (ontable b5)
    (clear b2)
    (clear b3)
    (clear b5))
  (:goal (and
    (on b2 b5)
    (on b3 b4)
    (on b5 b3))))
