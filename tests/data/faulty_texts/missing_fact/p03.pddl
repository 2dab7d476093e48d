(define (problem caving-p03)
  (:domain caving)
  (:objects
    mouth hall crypt - chamber
    kim lee - caver
    flare torch - lamp)
  (:init
    (passage mouth hall)
    (passage hall mouth)
    (passage hall crypt)
    (passage crypt hall)
    (inside kim hall)
    (inside lee mouth)
    (lit mouth)
    (holds kim flare)
    (charged flare)
    (lies torch mouth))
  (:goal (and (lit hall) (inside kim crypt))))
