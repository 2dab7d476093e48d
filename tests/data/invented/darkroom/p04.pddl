(define (problem interrupted-session)
  (:domain darkroom)
  (:objects
    n1 n2 n3 - negative
    a4 a5 a6 a7 - paper
    beseler - enlarger
    red-tray blue-tray - tray
    line1 line2 line3 - clip)
  (:init
    (bench-busy) (latent a4) (print-of a4 n1)
    (mounted n1 beseler) (occupied beseler)
    (contains red-tray developer) (filled red-tray)
    (contains blue-tray fixer) (filled blue-tray)
    (lit safelight)
    (blank a5) (blank a6) (blank a7))
  (:goal
    (and (hung a4 line1)
         (print-of a5 n2)
         (hung a5 line3)
         (print-of a6 n3)
         (fixed a6)
         (not (lit safelight)))))
