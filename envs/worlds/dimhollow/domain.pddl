; Dimhollow: tenders light their way through dark hollows with motes that ripen where it is dark all around.
(define (domain dimhollow)
  (:requirements :strips :typing :negative-preconditions :disjunctive-preconditions :equality
                 :universal-preconditions :conditional-effects)
  (:types tender hollow mote)
  (:predicates
    (stands ?t - tender ?h - hollow)
    (seam ?a ?b - hollow)
    (aglow ?h - hollow)
    (rests ?m - mote ?h - hollow)
    (bears ?t - tender ?m - mote)
    (ripe ?m - mote))

  (:action slip
    :parameters (?t - tender ?from ?to - hollow)
    :precondition (and (stands ?t ?from) (seam ?from ?to) (aglow ?to))
    :effect (and (stands ?t ?to) (not (stands ?t ?from))
                 (when (and (forall (?o - tender) (or (= ?o ?t) (not (stands ?o ?from))))
                            (forall (?m - mote) (not (rests ?m ?from))))
                       (not (aglow ?from)))))

  (:action gather
    :parameters (?t - tender ?m - mote ?h - hollow)
    :precondition (and (stands ?t ?h) (rests ?m ?h) (forall (?o - mote) (not (bears ?t ?o))))
    :effect (and (bears ?t ?m) (not (rests ?m ?h))))

  (:action lay
    :parameters (?t - tender ?m - mote ?h - hollow)
    :precondition (and (stands ?t ?h) (bears ?t ?m))
    :effect (and (rests ?m ?h) (not (bears ?t ?m))))

  (:action kindle
    :parameters (?t - tender ?m - mote ?here ?there - hollow)
    :precondition (and (stands ?t ?here) (bears ?t ?m) (ripe ?m) (seam ?here ?there) (not (aglow ?there)))
    :effect (and (aglow ?there) (not (ripe ?m))
                 (forall (?o - mote) (when (rests ?o ?there) (not (ripe ?o))))))

  (:action mellow
    :parameters (?m - mote ?h - hollow)
    :precondition (and (rests ?m ?h) (not (ripe ?m))
                       (forall (?n - hollow) (or (not (seam ?h ?n)) (not (aglow ?n)))))
    :effect (ripe ?m))

  (:action hush
    :parameters (?t - tender ?here ?there - hollow)
    :precondition (and (stands ?t ?here) (seam ?here ?there) (aglow ?there)
                       (forall (?o - tender) (not (stands ?o ?there))))
    :effect (not (aglow ?there))))
