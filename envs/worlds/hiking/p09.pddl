(define (problem hiking-p09)
  (:domain hiking)
  (:objects
    car1 car2 car3 - car
    tent1 tent2 - tent
    guy1 girl1 - person
    couple1 - couple
    place1 place2 place3 place4 place5 place6 - place)
  (:init
    (at_tent tent1 place2)
    (at_tent tent2 place3)
    (at_person guy1 place1)
    (at_person girl1 place1)
    (at_car car1 place1)
    (at_car car2 place1)
    (at_car car3 place1)
    (partners couple1 guy1 girl1)
    (down tent1)
    (down tent2)
    (walked couple1 place1)
    (next place1 place2)
    (next place2 place3)
    (next place3 place4)
    (next place4 place5)
    (next place5 place6))
  (:goal (and
    (walked couple1 place6))))
