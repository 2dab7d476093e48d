(define (problem swap-rooms)
  (:domain museum-relocation)
  (:objects
    lena - registrar
    mo nils - handler
    east west lobby - room
    nude - sculpture
    icon - painting
    box-a box-b - crate)
  (:init
    (= (total-cost) 0)
    (door east lobby) (door lobby west) (door lobby security) (stairs east west)
    (armed east) (armed west)
    (at lena lobby) (at mo lobby) (at nils west)
    (at nude east) (at icon west)
    (at box-a east) (at box-b west)
    (fits nude box-a) (fits icon box-b) (fits icon box-a)
    (padded box-b) (fragile icon) (logged icon))
  (:goal
    (and (at nude west)
         (at icon east)
         (armed east)))
  (:metric minimize (total-cost)))
