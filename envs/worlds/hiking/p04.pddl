(define (problem hiking-p04)
  (:domain hiking)
  (:objects
    car1 - car
    tent1 tent2 tent3 - tent
    guy1 girl1 - person
    couple1 - couple
    place1 place2 place3 place4 - place)
  (:init
    (at_tent tent1 place1)
    (at_tent tent2 place1)
    (at_tent tent3 place3)
    (at_person guy1 place1)
    (at_person girl1 place1)
    (at_car car1 place1)
    (partners couple1 guy1 girl1)
    (up tent1)
    (up tent2)
    (up tent3)
    (walked couple1 place1)
    (next place1 place2)
    (next place2 place3)
    (next place3 place4))
  (:goal (and
    (walked couple1 place4))))
