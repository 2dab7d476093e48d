(define (problem blocksworld-example)
  (:domain blocks)
  (:objects
    b1 b2 b3 b4)
  (:init
    (handempty)
    (on b1 b4)
    (on b3 b1)
    (ontable b4)
    (ontable b2)
    (clear b3)
    (clear b2))
  (:goal (and
    (on b1 b2)
    (on b4 b3))))
