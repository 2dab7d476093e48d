(define (problem night-run)
  (:domain sample-lab)
  (:objects
    q1 q2 q3 q4 jar1 jar2 pp1 pp2 cent-a cent-b icp hepes mes cobalt nickel copper j0 j1 j2 j3)
  (:init
    (tube q1) (tube q2) (tube q3) (tube q4) (tube jar1) (tube jar2)
    (pipette pp1) (pipette pp2) (centrifuge cent-a) (centrifuge cent-b) (analyser icp)
    (buffer hepes) (buffer mes)
    (contains jar1 hepes) (contains jar2 mes)
    (contains q1 cobalt) (contains q2 nickel) (contains q3 copper) (contains q3 mes)
    (capped q3) (in-rotor q3 cent-a) (capped jar2)
    (dirty pp2)
    (tips-left j2) (one-fewer j0 j1) (one-fewer j1 j2) (one-fewer j2 j3))
  (:goal
    (and (reported cobalt)
         (reported copper)
         (contains q4 nickel)
         (contains q4 hepes))))
