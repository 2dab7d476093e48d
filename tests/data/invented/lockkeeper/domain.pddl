(define (domain canal-locks)
  (:requirements :strips :typing)
  (:types
    keeper lock gate level boat cargo pound - object
    wharf - pound
    barge cruiser - boat)
  (:predicates
    (tends ?k - keeper ?l - lock)
    (towpath ?l1 ?l2 - lock)
    (gate-of ?g - gate ?l - lock)
    (sill ?g - gate ?h - level)
    (leads ?g - gate ?w - pound)
    (opposite ?h1 ?h2 - level)
    (water ?l - lock ?h - level)
    (sealed ?l - lock)
    (open ?g - gate)
    (vacant ?l - lock)
    (in-chamber ?b - boat ?l - lock)
    (moored ?b - boat ?w - pound)
    (waiting ?c - cargo ?w - wharf)
    (stowed ?c - cargo ?b - barge))

  (:action stroll
    :parameters (?k - keeper ?l1 ?l2 - lock)
    :precondition (and (tends ?k ?l1) (towpath ?l1 ?l2))
    :effect (and (tends ?k ?l2) (not (tends ?k ?l1))))

  (:action work-paddles
    :parameters (?k - keeper ?l - lock ?h1 ?h2 - level)
    :precondition (and (tends ?k ?l) (sealed ?l) (water ?l ?h1) (opposite ?h1 ?h2))
    :effect (and (water ?l ?h2) (not (water ?l ?h1))))

  (:action swing-open
    :parameters (?k - keeper ?l - lock ?g - gate ?h - level)
    :precondition (and (tends ?k ?l) (gate-of ?g ?l) (sill ?g ?h) (water ?l ?h) (sealed ?l))
    :effect (and (open ?g) (not (sealed ?l))))

  (:action swing-shut
    :parameters (?k - keeper ?l - lock ?g - gate)
    :precondition (and (tends ?k ?l) (gate-of ?g ?l) (open ?g))
    :effect (and (sealed ?l) (not (open ?g))))

  (:action enter-chamber
    :parameters (?b - boat ?l - lock ?g - gate ?w - pound)
    :precondition (and (moored ?b ?w) (leads ?g ?w) (gate-of ?g ?l) (open ?g) (vacant ?l))
    :effect (and (in-chamber ?b ?l) (not (moored ?b ?w)) (not (vacant ?l))))

  (:action leave-chamber
    :parameters (?b - boat ?l - lock ?g - gate ?w - pound)
    :precondition (and (in-chamber ?b ?l) (gate-of ?g ?l) (leads ?g ?w) (open ?g))
    :effect (and (moored ?b ?w) (vacant ?l) (not (in-chamber ?b ?l))))

  (:action take-aboard
    :parameters (?c - cargo ?b - barge ?w - wharf)
    :precondition (and (waiting ?c ?w) (moored ?b ?w))
    :effect (and (stowed ?c ?b) (not (waiting ?c ?w))))

  (:action put-ashore
    :parameters (?c - cargo ?b - barge ?w - wharf)
    :precondition (and (stowed ?c ?b) (moored ?b ?w))
    :effect (and (waiting ?c ?w) (not (stowed ?c ?b)))))
