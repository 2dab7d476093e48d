(define (problem quick-assay)
  (:domain sample-lab)
  (:objects
    t1 t2 stock-tube p1 fuge reader saline iron n0 n1)
  (:init
    (tube t1) (tube t2) (tube stock-tube) (pipette p1) (centrifuge fuge) (analyser reader) (crude-ok reader)
    (buffer saline)
    (contains stock-tube saline) (contains t1 iron)
    (capped t1) (capped stock-tube) (dirty p1)
    (tips-left n1) (one-fewer n0 n1))
  (:goal
    (and (reported iron)
         (capped t1))))
