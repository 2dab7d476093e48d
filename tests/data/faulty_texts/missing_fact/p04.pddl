(define (problem caving-p04)
  (:domain caving)
  (:objects
    mouth hall crypt well - chamber
    kim - caver
    torch - lamp)
  (:init
    (passage mouth well)
    (passage well mouth)
    (passage well hall)
    (passage hall well)
    (passage hall crypt)
    (passage crypt hall)
    (inside kim mouth)
    (lit mouth)
    (lit well)
    (lies torch well)
    (charged torch))
  (:goal (and (lit hall) (inside kim crypt))))
