(define (problem caving-p01)
  (:domain caving)
  (:objects
    mouth hall crypt - chamber
    kim - caver
    flare torch - lamp)
  (:init
    (passage mouth hall)
    (passage hall mouth)
    (passage hall crypt)
    (passage crypt hall)
    (inside kim mouth)
    (lit mouth)
    (lies flare mouth)
    (lies torch hall)
    (charged flare)
    (charged torch))
  (:goal (and (lit hall) (lit crypt))))
