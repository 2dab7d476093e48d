(define (problem balanced-spin)
  (:domain sample-lab)
  (:objects
    blood-tube water-tube pip rotor spectro pbs glucose k0 k1 k2)
  (:init
    (tube blood-tube) (tube water-tube) (pipette pip) (centrifuge rotor) (analyser spectro)
    (buffer pbs)
    (contains water-tube pbs) (contains blood-tube glucose)
    (capped blood-tube)
    (tips-left k1) (one-fewer k0 k1) (one-fewer k1 k2))
  (:goal
    (and (reported glucose))))
