(define (problem urnsong-p02)
  (:domain urnsong)
  (:objects
    chanter1 - chanter
    vault1 vault2 vault3 vault4 - vault
    urn1 urn2 urn3 - urn
    dun rel mir - pitch)
  (:init
    (arch vault4 vault2)
    (arch vault2 vault4)
    (arch vault2 vault1)
    (arch vault1 vault2)
    (arch vault2 vault3)
    (arch vault3 vault2)
    (sharpens dun rel)
    (sharpens rel mir)
    (sharpens mir dun)
    (among chanter1 vault2)
    (arms-free chanter1)
    (stands-in urn1 vault1)
    (stands-in urn2 vault1)
    (stands-in urn3 vault2)
    (sings urn1 mir)
    (sings urn2 mir)
    (sings urn3 dun)
    (strewn vault4)
    (sealed vault3))
  (:goal (and
    (stands-in urn2 vault4)
    (sings urn2 dun)
    (stands-in urn1 vault3)
    (sings urn1 rel))))
