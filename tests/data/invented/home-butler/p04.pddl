(define (problem dinner-for-two)
  (:domain home-butler)
  (:objects
    cook-room eat-room store-room - room
    block dinner-table crate - surface
    oven - microwave larder - cupboard tap - sink machine - dishwasher
    potato pie apple - food
    chef-knife - knife platter - dish)
  (:init
    (robot-in eat-room) (hand-empty) (lit store-room) (lit cook-room)
    (linked cook-room eat-room) (linked eat-room cook-room) (linked cook-room store-room)
    (linked store-room cook-room)
    (located block cook-room) (located oven cook-room) (located tap cook-room) (located
    machine cook-room)
    (located dinner-table eat-room) (located larder store-room) (located crate store-room)
    (on potato crate) (inside pie larder) (on apple block) (inside chef-knife machine)
    (dirty chef-knife) (on platter dinner-table))
  (:goal (and
      (sliced potato)
      (on potato block)
      (hot pie)
      (on pie dinner-table))))
