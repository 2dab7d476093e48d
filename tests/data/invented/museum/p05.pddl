(define (problem closing-day)
  (:domain museum-relocation)
  (:objects
    quinn - registrar
    rui sven - handler
    north south rotunda cloakroom bay - room
    torso lion - sculpture
    fresco mirror map poster - painting
    c1 c2 c3 c4 - crate)
  (:init
    (= (total-cost) 0)
    (door north rotunda) (door south rotunda) (door rotunda bay) (door cloakroom bay) (stairs security cloakroom) (stairs north south)
    (armed north) (armed south) (armed bay)
    (at quinn cloakroom) (at rui bay) (at sven north)
    (at torso north) (at lion south) (at fresco north) (at mirror rotunda) (at poster cloakroom)
    (at c1 rotunda) (at c2 north) (at c3 south) (at c4 bay) (inside map c4) (in-use c4)
    (fits torso c1) (fits lion c3) (fits fresco c2) (fits mirror c1) (fits map c4) (fits poster c2)
    (fragile mirror) (fragile fresco) (logged fresco) (logged lion))
  (:goal
    (and (at mirror bay)
         (at map south)
         (inside fresco c2)
         (at c2 rotunda)
         (armed bay)
         (not (armed south))))
  (:metric minimize (total-cost)))
