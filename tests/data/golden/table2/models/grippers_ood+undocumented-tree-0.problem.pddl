(define (problem grippers_ood-task)
  (:domain grippers_ood)
  (:objects robot1 robot2 - robot lgripper1 rgripper1 lgripper2 rgripper2 - gripper room1 room2 room3 - room ball1 ball2 ball3 - obj)
  ; (in ?r - robot ?x - room): robot ?r is in room ?x
  ; (lies-in ?o - obj ?x - room): ball ?o lies in room ?x
  ; (free ?r - robot ?g - gripper): gripper ?g is a gripper of robot ?r and is free
  ; (mounted ?g - gripper ?r - robot): gripper ?g is part of robot ?r, whether it is free or not; never changes
  ; (carries ?r - robot ?o - obj ?g - gripper): robot ?r carries ball ?o in gripper ?g; nothing is carried initially
  ; (prepared ?x - room): room ?x has been prepared; no room is prepared initially
  (:init
    (in robot1 room3)
    (in robot2 room2)
    (lies-in ball1 room3)
    (lies-in ball2 room3)
    (lies-in ball3 room3)
    (free robot1 lgripper1)
    (free robot1 rgripper1)
    (free robot2 lgripper2)
    (free robot2 rgripper2)
    (mounted lgripper1 robot1)
    (mounted rgripper1 robot1)
    (mounted lgripper2 robot2)
    (mounted rgripper2 robot2))
  (:goal (and (lies-in ball1 room2) (lies-in ball2 room2) (lies-in ball3 room1))))
