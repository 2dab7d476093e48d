(define (problem portcullis)
  (:domain temple-boulders)
  (:objects
    x00 x01 x02 x04 x05 x10 x11 x12 x13 x14 x15 x20 x21 x22 x24 x25 x30 x31 x32 x34 x35
    stone1 xkey1)
  (:init
    (cell x00) (cell x01) (cell x02) (cell x04) (cell x05) (cell x10) (cell x11) (cell
    x12) (cell x13) (cell x14) (cell x15) (cell x20) (cell x21) (cell x22) (cell x24)
    (cell x25) (cell x30) (cell x31) (cell x32) (cell x34) (cell x35)
    (boulder stone1) (key xkey1)
    (above x00 x10) (above x01 x11) (above x02 x12) (above x04 x14) (above x05 x15) (above
    x10 x20) (above x11 x21) (above x12 x22) (above x14 x24) (above x15 x25) (above x20
    x30) (above x21 x31) (above x22 x32) (above x24 x34) (above x25 x35) (left-of x00 x01)
    (left-of x01 x02) (left-of x04 x05) (left-of x10 x11) (left-of x11 x12) (left-of x12
    x13) (left-of x13 x14) (left-of x14 x15) (left-of x20 x21) (left-of x21 x22) (left-of
    x24 x25) (left-of x30 x31) (left-of x31 x32) (left-of x34 x35)
    (key-at xkey1 x00) (boulder-at stone1 x11) (blocked x11) (gate x13) (plate x15)
    (hero-at x31) (fits xkey1 x13))
  (:goal (and
      (pressed x15))))
