(define (problem blocks-p03)
  (:domain blocks)
  (:objects
    b1 b2 b3 b4)
  (:init
    (handempty)
    (ontable b1)
    (on b4 b1)
    (on b3 b4)
    (on b2 b3)
    (clear b2))
  (:goal (and
    (on b1 b3)
    (on b2 b4)
    (on b3 b2))))
