(define (problem grippers-ood-p09)
  (:domain gripper-prepared)
  (:objects
    robot1 robot2 robot3 - robot
    lgripper1 rgripper1 lgripper2 rgripper2 lgripper3 rgripper3 - gripper
    room1 room2 room3 room4 room5 room6 - room
    ball1 ball2 ball3 ball4 ball5 ball6 ball7 ball8 - obj)
  (:init
    (at-robby robot1 room1)
    (at-robby robot2 room1)
    (at-robby robot3 room3)
    (free robot1 lgripper1)
    (free robot1 rgripper1)
    (free robot2 lgripper2)
    (free robot2 rgripper2)
    (free robot3 lgripper3)
    (free robot3 rgripper3)
    (at ball1 room2)
    (at ball2 room4)
    (at ball3 room1)
    (at ball4 room6)
    (at ball5 room3)
    (at ball6 room1)
    (at ball7 room3)
    (at ball8 room5))
  (:goal (and
    (at ball1 room6)
    (at ball2 room1)
    (at ball3 room3)
    (at ball4 room4)
    (at ball5 room4)
    (at ball6 room4)
    (at ball7 room4)
    (at ball8 room1))))
