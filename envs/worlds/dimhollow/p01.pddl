(define (problem dimhollow-p01)
  (:domain dimhollow)
  (:objects
    tender1 - tender
    hollow1 hollow2 hollow3 hollow4 - hollow
    mote1 mote2 - mote)
  (:init
    (stands tender1 hollow4)
    (seam hollow1 hollow4)
    (seam hollow2 hollow3)
    (seam hollow2 hollow4)
    (seam hollow3 hollow2)
    (seam hollow3 hollow4)
    (seam hollow4 hollow1)
    (seam hollow4 hollow2)
    (seam hollow4 hollow3)
    (aglow hollow1)
    (aglow hollow4)
    (rests mote1 hollow4)
    (rests mote2 hollow3))
  (:goal (and
    (stands tender1 hollow2)
    (rests mote2 hollow3)
    (bears tender1 mote1)
    (not (aglow hollow1)))))
