(define (domain wandering-apiary)
  (:requirements :adl :typing)
  (:types
    site flower box thing - object
    keeper van hive tool - thing
    smoker extractor - tool)
  (:predicates
    (at ?x - thing ?s - site)
    (road ?a ?b - site)
    (carries ?k - keeper ?m - smoker)
    (lit ?m - smoker)
    (calm ?h - hive)
    (grounded ?h - hive)
    (aboard ?h - hive ?v - van)
    (spare ?b - box)
    (stacked ?b - box ?h - hive)
    (ripe ?b - box)
    (honey ?b - box ?f - flower)
    (in-bloom ?s - site ?f - flower)
    (bottled ?f - flower))

  (:action drive
    :parameters (?k - keeper ?v - van ?a ?b - site)
    :precondition (and (at ?k ?a) (at ?v ?a) (or (road ?a ?b) (road ?b ?a)))
    :effect (and (at ?k ?b) (at ?v ?b) (not (at ?k ?a)) (not (at ?v ?a))
                 (forall (?h - hive)
                   (when (aboard ?h ?v) (and (at ?h ?b) (not (at ?h ?a)))))
                 (forall (?m - smoker)
                   (when (carries ?k ?m) (not (lit ?m))))))

  (:action light-smoker
    :parameters (?k - keeper ?m - smoker)
    :precondition (and (carries ?k ?m) (not (lit ?m)))
    :effect (lit ?m))

  (:action smoke
    :parameters (?k - keeper ?h - hive ?s - site)
    :precondition (and (at ?k ?s) (at ?h ?s) (not (calm ?h))
                       (exists (?m - smoker) (and (carries ?k ?m) (lit ?m))))
    :effect (calm ?h))

  (:action add-box
    :parameters (?k - keeper ?h - hive ?b - box ?s - site)
    :precondition (and (at ?k ?s) (at ?h ?s) (grounded ?h) (calm ?h)
                       (spare ?b) (not (ripe ?b))
                       (forall (?c - box) (not (stacked ?c ?h))))
    :effect (and (stacked ?b ?h) (not (spare ?b))))

  (:action forage
    :parameters (?s - site ?f - flower)
    :precondition (and (in-bloom ?s ?f)
                       (exists (?h - hive) (and (at ?h ?s) (grounded ?h))))
    :effect (and (forall (?h - hive ?b - box)
                   (when (and (at ?h ?s) (grounded ?h) (stacked ?b ?h) (not (ripe ?b)))
                         (and (ripe ?b) (honey ?b ?f))))
                 (forall (?h - hive)
                   (when (and (at ?h ?s) (grounded ?h)) (not (calm ?h))))))

  (:action lift-box
    :parameters (?k - keeper ?h - hive ?b - box ?s - site)
    :precondition (and (at ?k ?s) (at ?h ?s) (calm ?h) (stacked ?b ?h) (ripe ?b))
    :effect (and (spare ?b) (not (stacked ?b ?h))))

  (:action extract
    :parameters (?k - keeper ?x - extractor ?b - box ?f - flower)
    :precondition (and (spare ?b) (ripe ?b) (honey ?b ?f)
                       (exists (?s - site) (and (at ?k ?s) (at ?x ?s))))
    :effect (and (bottled ?f) (not (ripe ?b)) (not (honey ?b ?f))))

  (:action load-hive
    :parameters (?k - keeper ?h - hive ?v - van ?s - site)
    :precondition (and (at ?k ?s) (at ?h ?s) (at ?v ?s) (grounded ?h) (calm ?h)
                       (not (exists (?b - box) (stacked ?b ?h)))
                       (forall (?o - hive) (not (aboard ?o ?v))))
    :effect (and (aboard ?h ?v) (not (grounded ?h))))

  (:action unload-hive
    :parameters (?k - keeper ?h - hive ?v - van ?s - site)
    :precondition (and (at ?k ?s) (at ?v ?s) (aboard ?h ?v))
    :effect (and (grounded ?h) (not (aboard ?h ?v)))))
