(define (problem logistics-f04)
  (:domain logistics)
  (:objects
    package1 package2 package3 package4 package5 - package
    truck1 truck2 truck3 - truck
    plane1 - plane
    location1 location2 location3 location4 location5 location6 location7 location8 location9 - location
    city1 city2 city3 - city)
  (:init
    (package-at package1 location6)
    (package-at package2 location1)
    (package-at package3 location2)
    (package-at package4 location5)
    (package-at package5 location6)
    (truck-at truck1 location1)
    (truck-at truck2 location4)
    (truck-at truck3 location9)
    (plane-at plane1 location2)
    (location-in-city location1 city1)
    (location-in-city location2 city1)
    (location-in-city location3 city1)
    (location-in-city location4 city2)
    (location-in-city location5 city2)
    (location-in-city location6 city2)
    (location-in-city location7 city3)
    (location-in-city location8 city3)
    (location-in-city location9 city3)
    (location-is-airport location2)
    (location-is-airport location4)
    (location-is-airport location7))
  (:goal (and
    (package-at package1 location1)
    (package-at package2 location2)
    (package-at package3 location8)
    (package-at package4 location6)
    (package-at package5 location4))))
