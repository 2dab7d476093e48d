(define (domain theatre-props)
  (:requirements :adl :typing)
  (:types
    area crew prop scene - object
    hand-prop furniture - prop)
  (:constants stage prompt-corner - area)
  (:predicates
    (adjacent ?a ?b - area)
    (at ?c - crew ?a - area)
    (in ?p - prop ?a - area)
    (busy ?c - crew)
    (carrying ?c - crew ?p - prop)
    (curtain-closed)
    (needs ?s - scene ?p - prop)
    (clashes ?s - scene ?p - prop)
    (breaks ?s - scene ?p - prop)
    (broken ?p - prop)
    (before ?s1 ?s2 - scene)
    (played ?s - scene))

  (:action walk
    :parameters (?c - crew ?a ?b - area)
    :precondition (and (at ?c ?a) (adjacent ?a ?b)
                       (or (not (= ?b stage)) (curtain-closed)))
    :effect (and (at ?c ?b) (not (at ?c ?a))))

  (:action fetch
    :parameters (?c - crew ?p - hand-prop ?a - area)
    :precondition (and (at ?c ?a) (in ?p ?a) (not (busy ?c)))
    :effect (and (carrying ?c ?p) (busy ?c) (not (in ?p ?a))))

  (:action place
    :parameters (?c - crew ?p - hand-prop ?a - area)
    :precondition (and (at ?c ?a) (carrying ?c ?p))
    :effect (and (in ?p ?a) (not (carrying ?c ?p)) (not (busy ?c))))

  (:action push
    :parameters (?c - crew ?p - furniture ?a ?b - area)
    :precondition (and (at ?c ?a) (in ?p ?a) (adjacent ?a ?b) (not (busy ?c))
                       (or (not (= ?b stage)) (curtain-closed))
                       (exists (?d - crew)
                         (and (not (= ?d ?c)) (at ?d ?a) (not (busy ?d)))))
    :effect (and (in ?p ?b) (not (in ?p ?a))
                 (forall (?d - crew)
                   (when (and (at ?d ?a) (not (busy ?d)))
                         (and (at ?d ?b) (not (at ?d ?a)))))))

  (:action mend
    :parameters (?c - crew ?p - prop ?a - area)
    :precondition (and (at ?c ?a) (in ?p ?a) (broken ?p) (not (busy ?c)) (not (= ?a stage)))
    :effect (not (broken ?p)))

  (:action open-curtain
    :parameters (?c - crew)
    :precondition (and (at ?c prompt-corner) (curtain-closed)
                       (forall (?d - crew) (not (at ?d stage))))
    :effect (not (curtain-closed)))

  (:action close-curtain
    :parameters (?c - crew)
    :precondition (and (at ?c prompt-corner) (not (curtain-closed)))
    :effect (curtain-closed))

  (:action play
    :parameters (?s - scene)
    :precondition (and (not (curtain-closed)) (not (played ?s))
                       (forall (?q - scene) (imply (before ?q ?s) (played ?q)))
                       (forall (?p - prop)
                         (imply (needs ?s ?p) (and (in ?p stage) (not (broken ?p)))))
                       (forall (?p - prop)
                         (imply (clashes ?s ?p) (not (in ?p stage)))))
    :effect (and (played ?s)
                 (forall (?p - prop) (when (breaks ?s ?p) (broken ?p))))))
