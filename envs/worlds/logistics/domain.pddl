; Packages carried by trucks within cities and by planes between cities' airports.
; Actions as in the IPC-2000 Logistics domain; types, predicates and the cities as parameters of a flight
; as in Guan et al. (2023), appendix A.8.
(define (domain logistics)
  (:requirements :strips :typing :negative-preconditions :equality)
  (:types package truck plane location city)
  (:predicates
    (package-at ?p - package ?l - location)
    (truck-at ?t - truck ?l - location)
    (plane-at ?a - plane ?l - location)
    (package-in-truck ?p - package ?t - truck)
    (package-in-plane ?p - package ?a - plane)
    (location-in-city ?l - location ?c - city)
    (location-is-airport ?l - location))

  (:action load-truck
    :parameters (?p - package ?t - truck ?l - location)
    :precondition (and (package-at ?p ?l) (truck-at ?t ?l))
    :effect (and (package-in-truck ?p ?t) (not (package-at ?p ?l))))

  (:action unload-truck
    :parameters (?p - package ?t - truck ?l - location)
    :precondition (and (package-in-truck ?p ?t) (truck-at ?t ?l))
    :effect (and (package-at ?p ?l) (not (package-in-truck ?p ?t))))

  (:action load-airplane
    :parameters (?p - package ?a - plane ?l - location)
    :precondition (and (package-at ?p ?l) (plane-at ?a ?l))
    :effect (and (package-in-plane ?p ?a) (not (package-at ?p ?l))))

  (:action unload-airplane
    :parameters (?p - package ?a - plane ?l - location)
    :precondition (and (package-in-plane ?p ?a) (plane-at ?a ?l))
    :effect (and (package-at ?p ?l) (not (package-in-plane ?p ?a))))

  (:action drive-truck
    :parameters (?t - truck ?from ?to - location ?c - city)
    :precondition (and
      (truck-at ?t ?from)
      (location-in-city ?from ?c)
      (location-in-city ?to ?c)
      (not (= ?from ?to)))
    :effect (and (truck-at ?t ?to) (not (truck-at ?t ?from))))

  (:action fly-airplane
    :parameters (?a - plane ?from ?to - location ?c1 ?c2 - city)
    :precondition (and
      (plane-at ?a ?from)
      (location-is-airport ?from)
      (location-is-airport ?to)
      (location-in-city ?from ?c1)
      (location-in-city ?to ?c2)
      (not (= ?c1 ?c2)))
    :effect (and (plane-at ?a ?to) (not (plane-at ?a ?from)))))
