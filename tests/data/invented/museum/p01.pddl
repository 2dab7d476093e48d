(define (problem one-canvas)
  (:domain museum-relocation)
  (:objects
    reg - registrar
    ham - handler
    gallery store - room
    meadow bust - painting
    crate1 crate2 - crate)
  (:init
    (= (total-cost) 0)
    (door gallery store) (stairs security store)
    (armed gallery)
    (at reg security) (at ham store)
    (at meadow gallery) (at bust gallery)
    (at crate1 store) (at crate2 gallery)
    (fits meadow crate1) (fits bust crate2)
    (logged bust))
  (:goal
    (and (at meadow store)))
  (:metric minimize (total-cost)))
