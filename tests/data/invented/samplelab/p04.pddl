(define (problem mixed-batch)
  (:domain sample-lab)
  (:objects
    x1 x2 x3 x4 stock pa pb mini maxi flame mass ringer dna rna o0 o1 o2)
  (:init
    (tube x1) (tube x2) (tube x3) (tube x4) (tube stock)
    (pipette pa) (pipette pb) (centrifuge mini) (centrifuge maxi)
    (analyser flame) (analyser mass) (crude-ok flame)
    (buffer ringer)
    (contains stock ringer) (contains x1 dna) (contains x2 rna)
    (capped x2) (capped x1) (in-rotor x1 mini) (dirty pa)
    (tips-left o2) (one-fewer o0 o1) (one-fewer o1 o2))
  (:goal
    (and (contains x4 dna)
         (contains x4 rna)
         (reported rna)
         (spun x4)
         (capped x3))))
