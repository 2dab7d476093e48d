(define (domain zone-elevators)
  (:requirements :typing :adl)
  (:types passenger floor lift count - object)

  (:predicates
    (lift-at ?e - lift ?f - floor)
    (next-floor ?low ?high - floor)
    (serves ?e - lift ?f - floor)
    (public ?f - floor)
    (has-card ?p - passenger ?f - floor)
    (express ?e - lift)
    (vip ?p - passenger)
    (waiting ?p - passenger ?f - floor)
    (inside ?p - passenger ?e - lift)
    (destination ?p - passenger ?f - floor)
    (served ?p - passenger)
    (doors-open ?e - lift)
    (load ?e - lift ?n - count)
    (plus1 ?n ?m - count))

  ;; a restricted floor is only reachable if somebody on board has a card
  (:action move-up
    :parameters (?e - lift ?f ?g - floor)
    :precondition (and (lift-at ?e ?f) (next-floor ?f ?g) (serves ?e ?g)
                       (not (doors-open ?e))
                       (or (public ?g)
                           (exists (?p - passenger)
                             (and (inside ?p ?e) (has-card ?p ?g)))))
    :effect (and (lift-at ?e ?g) (not (lift-at ?e ?f))))

  (:action move-down
    :parameters (?e - lift ?f ?g - floor)
    :precondition (and (lift-at ?e ?f) (next-floor ?g ?f) (serves ?e ?g)
                       (not (doors-open ?e))
                       (or (public ?g)
                           (exists (?p - passenger)
                             (and (inside ?p ?e) (has-card ?p ?g)))))
    :effect (and (lift-at ?e ?g) (not (lift-at ?e ?f))))

  ;; the express ride skips floors; only VIPs may be on board
  (:action express-ride
    :parameters (?e - lift ?f ?g - floor)
    :precondition (and (express ?e) (lift-at ?e ?f) (serves ?e ?g)
                       (not (= ?f ?g)) (not (doors-open ?e))
                       (forall (?p - passenger)
                         (imply (inside ?p ?e) (vip ?p))))
    :effect (and (lift-at ?e ?g) (not (lift-at ?e ?f))))

  (:action open-doors
    :parameters (?e - lift ?f - floor)
    :precondition (and (lift-at ?e ?f) (not (doors-open ?e)))
    :effect (doors-open ?e))

  (:action close-doors
    :parameters (?e - lift ?f - floor)
    :precondition (and (lift-at ?e ?f) (doors-open ?e)
                       (forall (?p - passenger)
                         (not (and (inside ?p ?e) (destination ?p ?f)))))
    :effect (not (doors-open ?e)))

  ;; VIPs board first
  (:action board
    :parameters (?p - passenger ?e - lift ?f - floor ?n ?m - count)
    :precondition (and (lift-at ?e ?f) (doors-open ?e) (waiting ?p ?f)
                       (load ?e ?n) (plus1 ?n ?m)
                       (or (vip ?p)
                           (not (exists (?q - passenger)
                                  (and (vip ?q) (waiting ?q ?f))))))
    :effect (and (inside ?p ?e) (not (waiting ?p ?f))
                 (load ?e ?m) (not (load ?e ?n))))

  (:action leave
    :parameters (?p - passenger ?e - lift ?f - floor ?n ?m - count)
    :precondition (and (lift-at ?e ?f) (doors-open ?e) (inside ?p ?e)
                       (load ?e ?m) (plus1 ?n ?m))
    :effect (and (not (inside ?p ?e))
                 (load ?e ?n) (not (load ?e ?m))
                 (when (destination ?p ?f) (served ?p))
                 (when (not (destination ?p ?f)) (waiting ?p ?f)))))
