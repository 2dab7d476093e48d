;;; Paced assembly line: a cycle has the phases LOADING, WORKING, SHIFTING.
(DEFINE (DOMAIN gearbox-line)
  (:REQUIREMENTS :TYPING :ADL)
  (:TYPES station carrier arm part phase - object
          small-part large-part - part)
  (:CONSTANTS loading working shifting - phase)
  (:PREDICATES
    (current ?ph - phase)
    (next-station ?s1 ?s2 - station)
    (carrier-at ?c - carrier ?s - station)
    (mounted-arm ?a - arm ?s - station)
    (strong ?a - arm)
    (idle ?a - arm)
    (holding ?a - arm ?p - part)
    (in-bin ?p - part ?s - station)
    (belongs ?p - part ?c - carrier)
    (assembled ?p - part ?c - carrier)
    (fixed ?p - part)
    (welder ?s - station)
    (screwdriver ?s - station)
    (camera ?s - station)
    (approved ?c - carrier))

  (:ACTION pick-small
    :PARAMETERS (?a - arm ?p - small-part ?s - station)
    :PRECONDITION (AND (current loading) (mounted-arm ?a ?s)
                       (idle ?a) (in-bin ?p ?s))
    :EFFECT (AND (holding ?a ?p) (NOT (idle ?a)) (NOT (in-bin ?p ?s))))

  (:ACTION pick-large
    :PARAMETERS (?a - arm ?p - large-part ?s - station)
    :PRECONDITION (AND (current loading) (mounted-arm ?a ?s) (strong ?a)
                       (idle ?a) (in-bin ?p ?s))
    :EFFECT (AND (holding ?a ?p) (NOT (idle ?a)) (NOT (in-bin ?p ?s))))

  ;; a small part needs a fixed large part to sit on
  (:ACTION place-small
    :PARAMETERS (?a - arm ?p - small-part ?c - carrier ?s - station)
    :PRECONDITION (AND (current loading) (mounted-arm ?a ?s)
                       (holding ?a ?p) (carrier-at ?c ?s) (belongs ?p ?c)
                       (EXISTS (?l - large-part)
                         (AND (assembled ?l ?c) (fixed ?l))))
    :EFFECT (AND (assembled ?p ?c) (idle ?a) (NOT (holding ?a ?p))))

  (:ACTION place-large
    :PARAMETERS (?a - arm ?p - large-part ?c - carrier ?s - station)
    :PRECONDITION (AND (current loading) (mounted-arm ?a ?s) (strong ?a)
                       (holding ?a ?p) (carrier-at ?c ?s) (belongs ?p ?c))
    :EFFECT (AND (assembled ?p ?c) (idle ?a) (NOT (holding ?a ?p))))

  (:ACTION start-working
    :PARAMETERS (?s - station)
    :PRECONDITION (AND (current loading)
                       (EXISTS (?c - carrier) (carrier-at ?c ?s)))
    :EFFECT (AND (current working) (NOT (current loading))))

  (:ACTION weld
    :PARAMETERS (?p - large-part ?c - carrier ?s - station)
    :PRECONDITION (AND (current working) (welder ?s)
                       (carrier-at ?c ?s) (assembled ?p ?c) (NOT (fixed ?p)))
    :EFFECT (fixed ?p))

  (:ACTION screw
    :PARAMETERS (?p - small-part ?c - carrier ?s - station)
    :PRECONDITION (AND (current working) (screwdriver ?s)
                       (carrier-at ?c ?s) (assembled ?p ?c) (NOT (fixed ?p)))
    :EFFECT (fixed ?p))

  (:ACTION inspect
    :PARAMETERS (?c - carrier ?s - station)
    :PRECONDITION (AND (current working) (camera ?s) (carrier-at ?c ?s)
                       (FORALL (?p - part)
                         (IMPLY (belongs ?p ?c)
                                (AND (assembled ?p ?c) (fixed ?p)))))
    :EFFECT (approved ?c))

  (:ACTION finish-working
    :PARAMETERS (?s - station)
    :PRECONDITION (AND (current working)
                       (EXISTS (?c - carrier) (carrier-at ?c ?s)))
    :EFFECT (AND (current shifting) (NOT (current working))))

  ;; the whole belt moves one station on
  (:ACTION shift-belt
    :PARAMETERS (?ph - phase)
    :PRECONDITION (AND (= ?ph shifting) (current ?ph))
    :EFFECT (AND (current loading) (NOT (current ?ph))
      (FORALL (?c - carrier ?s1 ?s2 - station)
        (WHEN (AND (carrier-at ?c ?s1) (next-station ?s1 ?s2))
              (AND (carrier-at ?c ?s2) (NOT (carrier-at ?c ?s1)))))))
)
