(define (problem cellar)
  (:domain temple-boulders)
  (:objects
    sq00 sq01 sq02 sq03 sq10 sq11 sq12 sq20 sq21 sq22 sq23 sq30 sq31 sq32 sq33 sq42 sq51
    sq52
    stone1 stone2 sqkey1)
  (:init
    (cell sq00) (cell sq01) (cell sq02) (cell sq03) (cell sq10) (cell sq11) (cell sq12)
    (cell sq20) (cell sq21) (cell sq22) (cell sq23) (cell sq30) (cell sq31) (cell sq32)
    (cell sq33) (cell sq42) (cell sq51) (cell sq52)
    (boulder stone1) (boulder stone2) (key sqkey1)
    (above sq00 sq10) (above sq01 sq11) (above sq02 sq12) (above sq10 sq20) (above sq11
    sq21) (above sq12 sq22) (above sq20 sq30) (above sq21 sq31) (above sq22 sq32) (above
    sq23 sq33) (above sq32 sq42) (above sq42 sq52) (left-of sq00 sq01) (left-of sq01 sq02)
    (left-of sq02 sq03) (left-of sq10 sq11) (left-of sq11 sq12) (left-of sq20 sq21)
    (left-of sq21 sq22) (left-of sq22 sq23) (left-of sq30 sq31) (left-of sq31 sq32)
    (left-of sq32 sq33) (left-of sq51 sq52)
    (pit sq02) (key-at sqkey1 sq03) (boulder-at stone1 sq11) (blocked sq11) (boulder-at
    stone2 sq22) (blocked sq22) (hero-at sq31) (gate sq42) (plate sq52) (fits sqkey1 sq42))
  (:goal (and
      (pressed sq52)
      (not (gate sq42)))))
