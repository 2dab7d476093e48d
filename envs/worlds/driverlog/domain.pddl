; Drivers walk along footpaths and drive trucks along roads to deliver packages.
; Names and parameter orders as in the IPC-2002 DriverLog domain (typed STRIPS).
(define (domain driverlog)
  (:requirements :strips :typing)
  (:types
    location locatable - object
    driver truck obj - locatable)
  (:predicates
    (at ?obj - locatable ?loc - location)
    (in ?obj1 - obj ?obj - truck)
    (driving ?d - driver ?v - truck)
    (link ?x ?y - location)
    (path ?x ?y - location)
    (empty ?v - truck))

  (:action load-truck
    :parameters (?obj - obj ?truck - truck ?loc - location)
    :precondition (and (at ?truck ?loc) (at ?obj ?loc))
    :effect (and (in ?obj ?truck) (not (at ?obj ?loc))))

  (:action unload-truck
    :parameters (?obj - obj ?truck - truck ?loc - location)
    :precondition (and (at ?truck ?loc) (in ?obj ?truck))
    :effect (and (at ?obj ?loc) (not (in ?obj ?truck))))

  (:action board-truck
    :parameters (?driver - driver ?truck - truck ?loc - location)
    :precondition (and (at ?truck ?loc) (at ?driver ?loc) (empty ?truck))
    :effect (and (driving ?driver ?truck) (not (at ?driver ?loc)) (not (empty ?truck))))

  (:action disembark-truck
    :parameters (?driver - driver ?truck - truck ?loc - location)
    :precondition (and (at ?truck ?loc) (driving ?driver ?truck))
    :effect (and (at ?driver ?loc) (empty ?truck) (not (driving ?driver ?truck))))

  (:action drive-truck
    :parameters (?truck - truck ?loc-from ?loc-to - location ?driver - driver)
    :precondition (and (at ?truck ?loc-from) (driving ?driver ?truck) (link ?loc-from ?loc-to))
    :effect (and (at ?truck ?loc-to) (not (at ?truck ?loc-from))))

  (:action walk
    :parameters (?driver - driver ?loc-from ?loc-to - location)
    :precondition (and (at ?driver ?loc-from) (path ?loc-from ?loc-to))
    :effect (and (at ?driver ?loc-to) (not (at ?driver ?loc-from)))))
