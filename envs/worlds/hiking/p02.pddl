(define (problem hiking-p02)
  (:domain hiking)
  (:objects
    car1 car2 - car
    tent1 - tent
    guy1 girl1 - person
    couple1 - couple
    place1 place2 place3 - place)
  (:init
    (at_tent tent1 place1)
    (at_person guy1 place1)
    (at_person girl1 place1)
    (at_car car1 place1)
    (at_car car2 place1)
    (partners couple1 guy1 girl1)
    (up tent1)
    (walked couple1 place1)
    (next place1 place2)
    (next place2 place3))
  (:goal (and
    (walked couple1 place3))))
