(define (problem dimhollow-f02)
  (:domain dimhollow)
  (:objects
    tender1 - tender
    hollow1 hollow2 hollow3 hollow4 hollow5 - hollow
    mote1 mote2 - mote)
  (:init
    (stands tender1 hollow1)
    (seam hollow1 hollow4)
    (seam hollow2 hollow4)
    (seam hollow2 hollow5)
    (seam hollow3 hollow4)
    (seam hollow3 hollow5)
    (seam hollow4 hollow1)
    (seam hollow4 hollow2)
    (seam hollow4 hollow3)
    (seam hollow5 hollow2)
    (seam hollow5 hollow3)
    (aglow hollow2)
    (aglow hollow5)
    (rests mote1 hollow1)
    (rests mote2 hollow4)
    (ripe mote1)
    (ripe mote2))
  (:goal (and
    (stands tender1 hollow1)
    (rests mote1 hollow4)
    (bears tender1 mote2)
    (not (ripe mote2)))))
