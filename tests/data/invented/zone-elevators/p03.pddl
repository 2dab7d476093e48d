(define (problem guided-tour)
  (:domain zone-elevators)
  (:objects
    base l1 l2 l3 l4 - floor
    main - lift
    guide visitor minister - passenger
    k0 k1 k2 - count)
  (:init
    (next-floor base l1) (next-floor l1 l2) (next-floor l2 l3) (next-floor l3 l4)
    (plus1 k0 k1) (plus1 k1 k2)
    (lift-at main l1) (load main k0)
    (serves main base) (serves main l1) (serves main l2) (serves main l3) (serves main l4)
    (waiting guide l2) (destination guide base) (waiting visitor l2) (destination visitor
    l4) (waiting minister base) (destination minister l3)
    (public base) (public l1) (public l2) (public l3) (has-card guide l4) (vip minister))
  (:goal (and
      (served visitor)
      (served minister))))
