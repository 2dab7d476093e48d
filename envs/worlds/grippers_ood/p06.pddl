(define (problem grippers-ood-p06)
  (:domain gripper-prepared)
  (:objects
    robot1 robot2 - robot
    lgripper1 rgripper1 lgripper2 rgripper2 - gripper
    room1 room2 room3 room4 room5 - room
    ball1 ball2 ball3 ball4 ball5 ball6 - obj)
  (:init
    (at-robby robot1 room1)
    (at-robby robot2 room5)
    (free robot1 lgripper1)
    (free robot1 rgripper1)
    (free robot2 lgripper2)
    (free robot2 rgripper2)
    (at ball1 room2)
    (at ball2 room4)
    (at ball3 room3)
    (at ball4 room1)
    (at ball5 room5)
    (at ball6 room5)
    (prepared room1)
    (prepared room2)
    (prepared room4))
  (:goal (and
    (at ball1 room1)
    (at ball2 room4)
    (at ball3 room4)
    (at ball4 room4)
    (at ball5 room3)
    (at ball6 room4))))
