(define (domain sample-lab)
  (:requirements :adl)
  (:predicates
    (tube ?t)
    (pipette ?p)
    (centrifuge ?c)
    (analyser ?d)
    (buffer ?s)
    (crude-ok ?d)
    (contains ?x ?s)
    (capped ?t)
    (dirty ?p)
    (tips-left ?n)
    (one-fewer ?m ?n)
    (in-rotor ?t ?c)
    (spun ?t)
    (reported ?s))

  (:action cap
    :parameters (?t)
    :precondition (and (tube ?t) (not (capped ?t)))
    :effect (capped ?t))

  (:action uncap
    :parameters (?t)
    :precondition (and (tube ?t) (capped ?t) (not (exists (?c) (in-rotor ?t ?c))))
    :effect (not (capped ?t)))

  (:action draw
    :parameters (?p ?t)
    :precondition (and (pipette ?p) (tube ?t) (not (capped ?t)) (not (dirty ?p))
                       (exists (?s) (contains ?t ?s))
                       (not (exists (?s) (contains ?p ?s))))
    :effect (forall (?s) (when (contains ?t ?s) (contains ?p ?s))))

  (:action dispense
    :parameters (?p ?t)
    :precondition (and (pipette ?p) (tube ?t) (not (capped ?t))
                       (exists (?s) (contains ?p ?s)))
    :effect (and (dirty ?p) (not (spun ?t))
                 (forall (?s)
                   (when (contains ?p ?s)
                         (and (contains ?t ?s) (not (contains ?p ?s)))))))

  (:action change-tip
    :parameters (?p ?n ?m)
    :precondition (and (pipette ?p) (dirty ?p) (tips-left ?n) (one-fewer ?m ?n))
    :effect (and (not (dirty ?p)) (tips-left ?m) (not (tips-left ?n))))

  (:action put-in-rotor
    :parameters (?t ?c)
    :precondition (and (tube ?t) (centrifuge ?c) (capped ?t)
                       (exists (?s) (contains ?t ?s))
                       (forall (?k) (not (in-rotor ?t ?k))))
    :effect (in-rotor ?t ?c))

  (:action spin
    :parameters (?c)
    :precondition (and (centrifuge ?c)
                       (exists (?t1 ?t2)
                         (and (in-rotor ?t1 ?c) (in-rotor ?t2 ?c) (not (= ?t1 ?t2)))))
    :effect (forall (?t) (when (in-rotor ?t ?c) (spun ?t))))

  (:action take-from-rotor
    :parameters (?t ?c)
    :precondition (in-rotor ?t ?c)
    :effect (not (in-rotor ?t ?c)))

  (:action analyse
    :parameters (?t ?s ?d)
    :precondition (and (tube ?t) (analyser ?d) (not (capped ?t))
                       (contains ?t ?s) (not (buffer ?s))
                       (exists (?b) (and (buffer ?b) (contains ?t ?b)))
                       (or (spun ?t) (crude-ok ?d))
                       (forall (?r)
                         (imply (contains ?t ?r) (or (= ?r ?s) (buffer ?r)))))
    :effect (reported ?s)))
