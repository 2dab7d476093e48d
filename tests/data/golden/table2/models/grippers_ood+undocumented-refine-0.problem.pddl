(define (problem grippers_ood-task)
  (:domain grippers_ood)
  (:objects robot1 robot2 - robot lgripper1 rgripper1 lgripper2 rgripper2 - gripper room1 room2 room3 - room ball1 ball2 ball3 - obj)
  ; (at-robby ?r - robot ?room - room): robot ?r is in room ?room
  ; (at ?obj - obj ?room - room): ball ?obj lies in room ?room
  ; (free ?r - robot ?g - gripper): gripper ?g of robot ?r is free; it also says that ?g belongs to ?r
  ; (carry ?r - robot ?obj - obj ?g - gripper): robot ?r carries ball ?obj with gripper ?g (none initially)
  ; (prepared ?room - room): room ?room is prepared (none initially)
  (:init
    (at-robby robot1 room3)
    (at-robby robot2 room2)
    (at ball1 room3)
    (at ball2 room3)
    (at ball3 room3)
    (free robot1 lgripper1)
    (free robot1 rgripper1)
    (free robot2 lgripper2)
    (free robot2 rgripper2))
  (:goal (and (at ball1 room2) (at ball2 room2) (at ball3 room1))))
