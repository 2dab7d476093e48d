(define (problem single-print)
  (:domain darkroom)
  (:objects
    portrait - negative
    sheet-a sheet-b - paper
    durst - enlarger
    tray-1 tray-2 - tray
    peg-1 peg-2 - clip)
  (:init
    (lit white-light)
    (blank sheet-a) (blank sheet-b))
  (:goal
    (and (print-of sheet-a portrait)
         (hung sheet-a peg-1))))
