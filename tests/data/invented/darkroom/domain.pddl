(define (domain darkroom)
  (:requirements :strips :typing :negative-preconditions)
  (:types
    sheet equipment chemical - object
    paper negative - sheet
    enlarger tray clip lamp - equipment)
  (:constants
    white-light safelight - lamp
    developer fixer - chemical)
  (:predicates
    (lit ?l - lamp)
    (bench-busy)
    (mounted ?n - negative ?e - enlarger)
    (occupied ?e - enlarger)
    (filled ?t - tray)
    (contains ?t - tray ?c - chemical)
    (blank ?p - paper)
    (latent ?p - paper)
    (developed ?p - paper)
    (fixed ?p - paper)
    (print-of ?p - paper ?n - negative)
    (hung ?p - paper ?k - clip)
    (in-use ?k - clip))

  (:action lamp-on
    :parameters (?l - lamp)
    :precondition (and (not (lit ?l)) (not (bench-busy)))
    :effect (lit ?l))

  (:action lamp-off
    :parameters (?l - lamp)
    :precondition (lit ?l)
    :effect (not (lit ?l)))

  (:action mount
    :parameters (?n - negative ?e - enlarger)
    :precondition (and (lit white-light) (not (occupied ?e)))
    :effect (and (mounted ?n ?e) (occupied ?e)))

  (:action unmount
    :parameters (?n - negative ?e - enlarger)
    :precondition (and (lit white-light) (mounted ?n ?e))
    :effect (and (not (mounted ?n ?e)) (not (occupied ?e))))

  (:action pour
    :parameters (?c - chemical ?t - tray)
    :precondition (and (lit white-light) (not (filled ?t)))
    :effect (and (contains ?t ?c) (filled ?t)))

  (:action expose
    :parameters (?p - paper ?n - negative ?e - enlarger)
    :precondition (and (blank ?p) (mounted ?n ?e) (not (lit white-light)) (not (bench-busy)))
    :effect (and (latent ?p) (print-of ?p ?n) (not (blank ?p)) (bench-busy)))

  (:action develop
    :parameters (?p - paper ?t - tray)
    :precondition (and (latent ?p) (contains ?t developer)
                       (lit safelight) (not (lit white-light)))
    :effect (and (developed ?p) (not (latent ?p))))

  (:action fix
    :parameters (?p - paper ?t - tray)
    :precondition (and (developed ?p) (not (fixed ?p)) (contains ?t fixer))
    :effect (and (fixed ?p) (not (bench-busy))))

  (:action hang
    :parameters (?p - paper ?k - clip)
    :precondition (and (fixed ?p) (not (in-use ?k)))
    :effect (and (hung ?p ?k) (in-use ?k))))
