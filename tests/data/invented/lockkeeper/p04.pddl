(define (problem staircase)
  (:domain canal-locks)
  (:objects
    pia - keeper
    first second third - lock
    f-up f-dn s-up s-dn t-up t-dn - gate
    high low - level
    summit reach-a reach-b - pound
    basin - wharf
    swift - cruiser
    dray - barge
    timber salt - cargo)
  (:init
    (opposite high low) (opposite low high)
    (gate-of f-up first) (sill f-up high) (leads f-up reach-a)
    (gate-of f-dn first) (sill f-dn low) (leads f-dn basin)
    (water first low) (vacant first)
    (gate-of s-up second) (sill s-up high) (leads s-up reach-b)
    (gate-of s-dn second) (sill s-dn low) (leads s-dn reach-a)
    (water second high) (vacant second)
    (gate-of t-up third) (sill t-up high) (leads t-up summit)
    (gate-of t-dn third) (sill t-dn low) (leads t-dn reach-b)
    (water third low) (vacant third)
    (open f-dn) (sealed second) (sealed third)
    (towpath first second) (towpath second first) (towpath second third) (towpath third second)
    (tends pia first)
    (moored dray basin) (moored swift reach-b)
    (waiting timber basin) (waiting salt basin))
  (:goal
    (and (moored dray reach-b)
         (stowed timber dray)
         (moored swift summit))))
