(define (problem blocks-example)
  (:domain blocks)
  (:objects
    b1 b2 b3)
  (:init
    (handempty)
    (ontable b1)
    (clear b1)
    (ontable b3)
    (on b2 b3)
    (clear b2))
  (:goal (and
    (on b1 b3))))
