(define (problem exhibition-set)
  (:domain darkroom)
  (:objects
    dune tide gull pier - negative
    w1 w2 w3 w4 w5 - paper
    omega kaiser - enlarger
    dish1 dish2 dish3 - tray
    h1 h2 h3 h4 - clip
    sign - lamp)
  (:init
    (lit sign)
    (bench-busy) (developed w5) (print-of w5 gull)
    (mounted tide omega) (occupied omega)
    (contains dish2 fixer) (filled dish2)
    (blank w1) (blank w2) (blank w3) (blank w4))
  (:goal
    (and (print-of w1 dune)
         (print-of w2 pier)
         (print-of w3 tide)
         (hung w1 h1)
         (hung w3 h2)
         (fixed w2)
         (hung w5 h4)
         (not (lit sign))
         (not (lit white-light)))))
