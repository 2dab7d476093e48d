(define (problem dimhollow-p03)
  (:domain dimhollow)
  (:objects
    tender1 - tender
    hollow1 hollow2 hollow3 hollow4 hollow5 - hollow
    mote1 mote2 mote3 - mote)
  (:init
    (stands tender1 hollow2)
    (seam hollow1 hollow2)
    (seam hollow1 hollow4)
    (seam hollow2 hollow1)
    (seam hollow2 hollow5)
    (seam hollow3 hollow4)
    (seam hollow4 hollow1)
    (seam hollow4 hollow3)
    (seam hollow4 hollow5)
    (seam hollow5 hollow2)
    (seam hollow5 hollow4)
    (aglow hollow3)
    (rests mote1 hollow2)
    (rests mote2 hollow5)
    (rests mote3 hollow3))
  (:goal (and
    (stands tender1 hollow1)
    (rests mote2 hollow4)
    (rests mote3 hollow3)
    (bears tender1 mote1)
    (not (ripe mote1))
    (aglow hollow1))))
