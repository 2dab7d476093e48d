(define (problem blocks-p05)
  (:domain blocks)
  (:objects
    b1 b2 b3 b4 b5)
  (:init
    (handempty)
    (ontable b2)
    (on b1 b2)
    (clear b1)
    (ontable b3)
    (clear b3)
    (ontable b4)
    (clear b4)
    (ontable b5)
    (clear b5))
  (:goal (and
    (on b2 b1)
    (on b4 b5)
    (on b5 b2))))
