(define (problem caving-p02)
  (:domain caving)
  (:objects
    mouth hall crypt - chamber
    lee - caver
    flare torch - lamp)
  (:init
    (passage mouth crypt)
    (passage crypt mouth)
    (passage mouth hall)
    (passage hall mouth)
    (inside lee crypt)
    (lit crypt)
    (lit mouth)
    (lies flare mouth)
    (lies torch crypt)
    (charged flare)
    (charged torch))
  (:goal (and (lit hall) (inside lee mouth))))
