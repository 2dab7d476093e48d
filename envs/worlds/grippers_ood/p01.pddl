(define (problem grippers-ood-p01)
  (:domain gripper-prepared)
  (:objects
    robot1 robot2 - robot
    lgripper1 rgripper1 lgripper2 rgripper2 - gripper
    room1 room2 room3 - room
    ball1 ball2 ball3 - obj)
  (:init
    (at-robby robot1 room1)
    (at-robby robot2 room3)
    (free robot1 lgripper1)
    (free robot1 rgripper1)
    (free robot2 lgripper2)
    (free robot2 rgripper2)
    (at ball1 room2)
    (at ball2 room1)
    (at ball3 room1)
    (prepared room2))
  (:goal (and
    (at ball1 room3)
    (at ball2 room2)
    (at ball3 room2))))
