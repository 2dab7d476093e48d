(define (problem hiking-p10)
  (:domain hiking)
  (:objects
    car1 car2 - car
    tent1 tent2 - tent
    guy1 girl1 guy2 girl2 - person
    couple1 couple2 - couple
    place1 place2 place3 place4 - place)
  (:init
    (at_tent tent1 place1)
    (at_tent tent2 place1)
    (at_person guy1 place1)
    (at_person girl1 place1)
    (at_person guy2 place1)
    (at_person girl2 place1)
    (at_car car1 place1)
    (at_car car2 place1)
    (partners couple1 guy1 girl1)
    (partners couple2 guy2 girl2)
    (down tent1)
    (down tent2)
    (walked couple1 place1)
    (walked couple2 place1)
    (next place1 place2)
    (next place2 place3)
    (next place3 place4))
  (:goal (and
    (walked couple1 place4)
    (walked couple2 place4))))
