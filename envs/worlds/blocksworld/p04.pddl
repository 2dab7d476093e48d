(define (problem blocks-p04)
  (:domain blocks)
  (:objects
    b1 b2 b3 b4)
  (:init
    (handempty)
    (ontable b1)
    (clear b1)
    (ontable b2)
    (on b4 b2)
    (clear b4)
    (ontable b3)
    (clear b3))
  (:goal (and
    (on b1 b2)
    (on b2 b3)
    (on b3 b4))))
