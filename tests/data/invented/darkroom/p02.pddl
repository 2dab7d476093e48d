(define (problem trays-ready)
  (:domain darkroom)
  (:objects
    harbour bridge - negative
    p1 p2 - paper
    leitz - enlarger
    t1 t2 - tray
    k1 k2 - clip)
  (:init
    (lit safelight)
    (contains t1 developer) (filled t1)
    (blank p1) (blank p2)
    (mounted bridge leitz) (occupied leitz))
  (:goal
    (and (print-of p1 harbour)
         (fixed p1)
         (hung p1 k2))))
