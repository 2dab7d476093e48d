(define (problem dimhollow-f01)
  (:domain dimhollow)
  (:objects
    tender1 - tender
    hollow1 hollow2 hollow3 hollow4 - hollow
    mote1 mote2 - mote)
  (:init
    (stands tender1 hollow3)
    (seam hollow1 hollow2)
    (seam hollow1 hollow3)
    (seam hollow1 hollow4)
    (seam hollow2 hollow1)
    (seam hollow2 hollow4)
    (seam hollow3 hollow1)
    (seam hollow4 hollow1)
    (seam hollow4 hollow2)
    (rests mote1 hollow3)
    (rests mote2 hollow3)
    (ripe mote2))
  (:goal (and
    (stands tender1 hollow4)
    (rests mote1 hollow3)
    (rests mote2 hollow4)
    (not (ripe mote1))
    (aglow hollow4))))
