(define (problem dimhollow-example)
  (:domain dimhollow)
  (:objects
    tender1 - tender
    hollow1 hollow2 hollow3 hollow4 - hollow
    mote1 mote2 - mote)
  (:init
    (stands tender1 hollow4)
    (seam hollow1 hollow2)
    (seam hollow1 hollow3)
    (seam hollow1 hollow4)
    (seam hollow2 hollow1)
    (seam hollow2 hollow3)
    (seam hollow3 hollow1)
    (seam hollow3 hollow2)
    (seam hollow4 hollow1)
    (aglow hollow2)
    (rests mote1 hollow4)
    (rests mote2 hollow1)
    (ripe mote1)
    (ripe mote2))
  (:goal (and
    (stands tender1 hollow2)
    (rests mote1 hollow4)
    (bears tender1 mote2)
    (ripe mote2))))
