(define (problem logistics-p03)
  (:domain logistics)
  (:objects
    package1 package2 package3 package4 package5 - package
    truck1 truck2 - truck
    plane1 - plane
    location1 location2 location3 location4 location5 location6 location7 location8 - location
    city1 city2 - city)
  (:init
    (package-at package1 location4)
    (package-at package2 location8)
    (package-at package3 location2)
    (package-at package4 location5)
    (package-at package5 location2)
    (truck-at truck1 location4)
    (truck-at truck2 location8)
    (plane-at plane1 location8)
    (location-in-city location1 city1)
    (location-in-city location2 city1)
    (location-in-city location3 city1)
    (location-in-city location4 city1)
    (location-in-city location5 city2)
    (location-in-city location6 city2)
    (location-in-city location7 city2)
    (location-in-city location8 city2)
    (location-is-airport location4)
    (location-is-airport location8))
  (:goal (and
    (package-at package1 location3)
    (package-at package2 location1)
    (package-at package3 location4)
    (package-at package4 location4)
    (package-at package5 location7))))
