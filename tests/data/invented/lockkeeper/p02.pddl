(define (problem down-to-the-wharf)
  (:domain canal-locks)
  (:objects
    marta - keeper
    l1 l2 - lock
    g1u g1d g2u g2d - gate
    high low - level
    top mid - pound
    town - wharf
    jenny - barge
    coal - cargo)
  (:init
    (opposite high low) (opposite low high)
    (gate-of g1u l1) (sill g1u high) (leads g1u top)
    (gate-of g1d l1) (sill g1d low) (leads g1d mid)
    (water l1 low) (vacant l1)
    (gate-of g2u l2) (sill g2u high) (leads g2u mid)
    (gate-of g2d l2) (sill g2d low) (leads g2d town)
    (water l2 high) (vacant l2)
    (open g1d) (sealed l2)
    (towpath l1 l2) (towpath l2 l1)
    (tends marta l2)
    (moored jenny mid) (stowed coal jenny))
  (:goal
    (and (waiting coal town)
         (moored jenny town)
         (sealed l1))))
