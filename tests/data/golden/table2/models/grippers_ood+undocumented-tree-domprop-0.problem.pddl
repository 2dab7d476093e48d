(define (problem grippers_ood-task)
  (:domain grippers_ood)
  (:objects robot1 robot2 - robot lgripper1 rgripper1 lgripper2 rgripper2 - gripper room1 room2 room3 - room ball1 ball2 ball3 - obj)
  ; (at-robby ?r - robot ?x - room): robot ?r is in room ?x
  ; (at ?o - obj ?x - room): object ?o lies in room ?x
  ; (free ?r - robot ?g - gripper): gripper ?g of robot ?r holds nothing
  ; (carry ?r - robot ?o - obj ?g - gripper): robot ?r carries object ?o with gripper ?g
  ; (prepared ?x - room): room ?x has been prepared for objects to be dropped in it
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
