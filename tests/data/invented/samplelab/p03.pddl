(define (problem two-samples)
  (:domain sample-lab)
  (:objects
    va vb vw pip1 spin1 hplc tris zinc lead m0 m1 m2)
  (:init
    (tube va) (tube vb) (tube vw) (pipette pip1) (centrifuge spin1) (analyser hplc)
    (buffer tris)
    (contains vw tris) (contains va zinc) (contains vb lead)
    (capped vw) (dirty pip1)
    (tips-left m2) (one-fewer m0 m1) (one-fewer m1 m2))
  (:goal
    (and (reported zinc)
         (reported lead))))
