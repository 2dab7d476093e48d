(define (problem fragile-vase)
  (:domain museum-relocation)
  (:objects
    iris - registrar
    jack - handler
    hall annex vault - room
    vase - sculpture
    canvas - painting
    small-crate flat-crate - crate)
  (:init
    (= (total-cost) 0)
    (door hall annex) (door annex vault) (stairs security hall)
    (armed vault)
    (at iris hall) (at jack annex)
    (at vase hall) (at canvas vault)
    (at small-crate annex) (at flat-crate vault)
    (fits vase small-crate) (fits canvas flat-crate)
    (fragile vase))
  (:goal
    (and (at vase vault)
         (armed vault)))
  (:metric minimize (total-cost)))
