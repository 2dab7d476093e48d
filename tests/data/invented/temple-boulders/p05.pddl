(define (problem sanctum)
  (:domain temple-boulders)
  (:objects
    r00 r01 r02 r10 r11 r12 r14 r15 r20 r21 r22 r23 r24 r25 r30 r31 r32 r34 r35 r40 r41
    r42 r43 r44 r45
    stone1 stone2 rkey1)
  (:init
    (cell r00) (cell r01) (cell r02) (cell r10) (cell r11) (cell r12) (cell r14) (cell
    r15) (cell r20) (cell r21) (cell r22) (cell r23) (cell r24) (cell r25) (cell r30)
    (cell r31) (cell r32) (cell r34) (cell r35) (cell r40) (cell r41) (cell r42) (cell
    r43) (cell r44) (cell r45)
    (boulder stone1) (boulder stone2) (key rkey1)
    (above r00 r10) (above r01 r11) (above r02 r12) (above r10 r20) (above r11 r21) (above
    r12 r22) (above r14 r24) (above r15 r25) (above r20 r30) (above r21 r31) (above r22
    r32) (above r24 r34) (above r25 r35) (above r30 r40) (above r31 r41) (above r32 r42)
    (above r34 r44) (above r35 r45) (left-of r00 r01) (left-of r01 r02) (left-of r10 r11)
    (left-of r11 r12) (left-of r14 r15) (left-of r20 r21) (left-of r21 r22) (left-of r22
    r23) (left-of r23 r24) (left-of r24 r25) (left-of r30 r31) (left-of r31 r32) (left-of
    r34 r35) (left-of r40 r41) (left-of r41 r42) (left-of r42 r43) (left-of r43 r44)
    (left-of r44 r45)
    (boulder-at stone1 r11) (blocked r11) (plate r15) (hero-at r20) (boulder-at stone2
    r21) (blocked r21) (gate r24) (pit r43) (key-at rkey1 r44) (fits rkey1 r24))
  (:goal (and
      (pressed r15))))
