(define (problem urnsong-f02)
  (:domain urnsong)
  (:objects
    chanter1 - chanter
    vault1 vault2 vault3 vault4 - vault
    urn1 urn2 urn3 - urn
    dun rel mir - pitch)
  (:init
    (arch vault2 vault3)
    (arch vault3 vault2)
    (arch vault2 vault4)
    (arch vault4 vault2)
    (arch vault2 vault1)
    (arch vault1 vault2)
    (sharpens dun rel)
    (sharpens rel mir)
    (sharpens mir dun)
    (among chanter1 vault4)
    (arms-free chanter1)
    (stands-in urn1 vault2)
    (stands-in urn2 vault3)
    (stands-in urn3 vault3)
    (sings urn1 dun)
    (sings urn2 dun)
    (sings urn3 rel)
    (strewn vault1)
    (sealed vault1))
  (:goal (and
    (stands-in urn2 vault2)
    (sings urn2 mir)
    (stands-in urn3 vault1)
    (sings urn3 dun))))
