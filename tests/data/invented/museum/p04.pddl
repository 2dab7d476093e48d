(define (problem one-crate-for-three)
  (:domain museum-relocation)
  (:objects
    oona - registrar
    piet - handler
    room1 room2 attic dock - room
    mask urn - sculpture
    sketch - painting
    steel-crate wood-crate spare-crate - crate)
  (:init
    (= (total-cost) 0)
    (door room1 room2) (door room2 dock) (stairs room2 attic) (stairs security room1)
    (armed room1) (armed dock)
    (at oona room1) (at piet dock)
    (at mask room1) (at urn room1) (at sketch attic)
    (at steel-crate room2) (at wood-crate attic)
    (fits mask steel-crate) (fits urn steel-crate) (fits sketch wood-crate)
    (fragile urn)
    (at spare-crate attic) (fits mask spare-crate))
  (:goal
    (and (at mask dock)
         (at urn dock)
         (inside sketch wood-crate)))
  (:metric minimize (total-cost)))
