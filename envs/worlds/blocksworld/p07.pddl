(define (problem blocks-p07)
  (:domain blocks)
  (:objects
    b1 b2 b3 b4 b5 b6)
  (:init
    (handempty)
    (ontable b4)
    (on b3 b4)
    (on b2 b3)
    (clear b2)
    (ontable b6)
    (on b5 b6)
    (on b1 b5)
    (clear b1))
  (:goal (and
    (on b2 b1)
    (on b3 b6)
    (on b4 b3)
    (on b5 b4))))
