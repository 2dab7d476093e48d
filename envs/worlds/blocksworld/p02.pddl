(define (problem blocks-p02)
  (:domain blocks)
  (:objects
    b1 b2 b3)
  (:init
    (handempty)
    (ontable b1)
    (clear b1)
    (ontable b2)
    (clear b2)
    (ontable b3)
    (clear b3))
  (:goal (and
    (on b2 b3))))
