(define (problem blocks-p06)
  (:domain blocks)
  (:objects
    b1 b2 b3 b4 b5)
  (:init
    (handempty)
    (ontable b1)
    (on b3 b1)
    (clear b3)
    (ontable b2)
    (on b4 b2)
    (clear b4)
    (ontable b5)
    (clear b5))
  (:goal (and
    (on b1 b4)
    (on b3 b5))))
