(define (problem two-enlargers)
  (:domain darkroom)
  (:objects
    wedding dance cake - negative
    s1 s2 s3 - paper
    enl-left enl-right - enlarger
    tr1 tr2 tr3 - tray
    clip1 clip2 - clip)
  (:init
    (lit white-light) (lit safelight)
    (mounted cake enl-left) (occupied enl-left)
    (contains tr1 fixer) (filled tr1)
    (blank s1) (blank s2) (developed s3) (print-of s3 dance))
  (:goal
    (and (print-of s1 wedding)
         (print-of s2 cake)
         (hung s1 clip1)
         (fixed s2)
         (hung s3 clip2)
         (lit white-light))))
