; Sandwiches made in a kitchen and served to children at tables, some of whom must not eat gluten. Names and
; parameter orders as in the IPC-2014 Child-Snack domain.
(define (domain child-snack)
  (:requirements :strips :typing)
  (:types child bread-portion content-portion sandwich tray place)
  (:constants kitchen - place)
  (:predicates
    (at_kitchen_bread ?b - bread-portion)
    (at_kitchen_content ?c - content-portion)
    (at_kitchen_sandwich ?s - sandwich)
    (no_gluten_bread ?b - bread-portion)
    (no_gluten_content ?c - content-portion)
    (ontray ?s - sandwich ?t - tray)
    (no_gluten_sandwich ?s - sandwich)
    (allergic_gluten ?c - child)
    (not_allergic_gluten ?c - child)
    (served ?c - child)
    (waiting ?c - child ?p - place)
    (at ?t - tray ?p - place)
    (notexist ?s - sandwich))

  (:action make_sandwich_no_gluten
    :parameters (?s - sandwich ?b - bread-portion ?c - content-portion)
    :precondition (and (notexist ?s) (at_kitchen_bread ?b) (at_kitchen_content ?c)
                       (no_gluten_bread ?b) (no_gluten_content ?c))
    :effect (and (at_kitchen_sandwich ?s) (no_gluten_sandwich ?s) (not (notexist ?s))
                 (not (at_kitchen_bread ?b)) (not (at_kitchen_content ?c))))

  (:action make_sandwich
    :parameters (?s - sandwich ?b - bread-portion ?c - content-portion)
    :precondition (and (notexist ?s) (at_kitchen_bread ?b) (at_kitchen_content ?c))
    :effect (and (at_kitchen_sandwich ?s) (not (notexist ?s))
                 (not (at_kitchen_bread ?b)) (not (at_kitchen_content ?c))))

  (:action put_on_tray
    :parameters (?s - sandwich ?t - tray)
    :precondition (and (at_kitchen_sandwich ?s) (at ?t kitchen))
    :effect (and (ontray ?s ?t) (not (at_kitchen_sandwich ?s))))

  (:action serve_sandwich_no_gluten
    :parameters (?s - sandwich ?c - child ?t - tray ?p - place)
    :precondition (and (allergic_gluten ?c) (no_gluten_sandwich ?s) (waiting ?c ?p) (ontray ?s ?t) (at ?t ?p))
    :effect (and (served ?c) (not (ontray ?s ?t))))

  (:action serve_sandwich
    :parameters (?s - sandwich ?c - child ?t - tray ?p - place)
    :precondition (and (not_allergic_gluten ?c) (waiting ?c ?p) (ontray ?s ?t) (at ?t ?p))
    :effect (and (served ?c) (not (ontray ?s ?t))))

  (:action move_tray
    :parameters (?t - tray ?p1 ?p2 - place)
    :precondition (at ?t ?p1)
    :effect (and (at ?t ?p2) (not (at ?t ?p1)))))
