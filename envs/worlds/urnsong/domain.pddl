; Urnsong: chanters carry singing urns through vaults. Lifting an urn sharpens its pitch, unless the floor of its
; vault is strewn with straw; two urns that agree in pitch break the seal of the vault next door.
(define (domain urnsong)
  (:requirements :strips :typing :equality :negative-preconditions :conditional-effects)
  (:types chanter vault urn pitch)
  (:predicates
    (arch ?v ?w - vault)
    (sharpens ?p ?q - pitch)
    (among ?c - chanter ?v - vault)
    (arms-free ?c - chanter)
    (shoulders ?c - chanter ?u - urn)
    (stands-in ?u - urn ?v - vault)
    (sings ?u - urn ?p - pitch)
    (strewn ?v - vault)
    (sealed ?v - vault))

  (:action pace
    :parameters (?c - chanter ?v ?w - vault)
    :precondition (and (among ?c ?v) (arch ?v ?w) (not (sealed ?w)))
    :effect (and (among ?c ?w) (not (among ?c ?v))))

  (:action strew
    :parameters (?c - chanter ?v - vault)
    :precondition (and (among ?c ?v) (arms-free ?c) (not (strewn ?v)))
    :effect (strewn ?v))

  (:action heave
    :parameters (?c - chanter ?u - urn ?v - vault ?p ?q - pitch)
    :precondition (and (among ?c ?v) (arms-free ?c) (stands-in ?u ?v) (not (strewn ?v)) (sings ?u ?p)
      (sharpens ?p ?q))
    :effect (and (shoulders ?c ?u) (not (arms-free ?c)) (not (stands-in ?u ?v)) (sings ?u ?q)
      (not (sings ?u ?p))))

  (:action lift-softly
    :parameters (?c - chanter ?u - urn ?v - vault)
    :precondition (and (among ?c ?v) (arms-free ?c) (stands-in ?u ?v) (strewn ?v))
    :effect (and (shoulders ?c ?u) (not (arms-free ?c)) (not (stands-in ?u ?v)) (not (strewn ?v))))

  (:action lower
    :parameters (?c - chanter ?u - urn ?v - vault)
    :precondition (and (among ?c ?v) (shoulders ?c ?u))
    :effect (and (stands-in ?u ?v) (arms-free ?c) (not (shoulders ?c ?u))))

  (:action accord
    :parameters (?c - chanter ?u1 ?u2 - urn ?p - pitch ?v ?w - vault)
    :precondition (and (among ?c ?v) (arms-free ?c) (stands-in ?u1 ?v) (stands-in ?u2 ?v) (not (= ?u1 ?u2))
      (sings ?u1 ?p) (sings ?u2 ?p) (arch ?v ?w) (sealed ?w))
    :effect (and (not (sealed ?w)) (not (strewn ?v))))

  (:action drone
    :parameters (?c - chanter ?v - vault)
    :precondition (and (among ?c ?v) (strewn ?v))
    :effect (and (not (strewn ?v))
      (forall (?u - urn ?p ?q - pitch)
        (when (and (stands-in ?u ?v) (sings ?u ?p) (sharpens ?p ?q))
          (and (sings ?u ?q) (not (sings ?u ?p))))))))
