(define (problem logistics-f01)
  (:domain logistics)
  (:objects
    package1 package2 package3 - package
    truck1 truck2 - truck
    plane1 - plane
    location1 location2 location3 location4 location5 location6 - location
    city1 city2 - city)
  (:init
    (package-at package1 location6)
    (package-at package2 location4)
    (package-at package3 location4)
    (truck-at truck1 location3)
    (truck-at truck2 location6)
    (plane-at plane1 location6)
    (location-in-city location1 city1)
    (location-in-city location2 city1)
    (location-in-city location3 city1)
    (location-in-city location4 city2)
    (location-in-city location5 city2)
    (location-in-city location6 city2)
    (location-is-airport location2)
    (location-is-airport location6))
  (:goal (and
    (package-at package1 location5)
    (package-at package2 location3)
    (package-at package3 location6))))
