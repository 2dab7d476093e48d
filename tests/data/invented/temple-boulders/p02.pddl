(define (problem corner)
  (:domain temple-boulders)
  (:objects
    t00 t01 t02 t03 t04 t10 t11 t12 t13 t14 t20 t21 t22 t23 t24 t30 t32 t33 t34
    stone1)
  (:init
    (cell t00) (cell t01) (cell t02) (cell t03) (cell t04) (cell t10) (cell t11) (cell
    t12) (cell t13) (cell t14) (cell t20) (cell t21) (cell t22) (cell t23) (cell t24)
    (cell t30) (cell t32) (cell t33) (cell t34)
    (boulder stone1)
    (above t00 t10) (above t01 t11) (above t02 t12) (above t03 t13) (above t04 t14) (above
    t10 t20) (above t11 t21) (above t12 t22) (above t13 t23) (above t14 t24) (above t20
    t30) (above t22 t32) (above t23 t33) (above t24 t34) (left-of t00 t01) (left-of t01
    t02) (left-of t02 t03) (left-of t03 t04) (left-of t10 t11) (left-of t11 t12) (left-of
    t12 t13) (left-of t13 t14) (left-of t20 t21) (left-of t21 t22) (left-of t22 t23)
    (left-of t23 t24) (left-of t32 t33) (left-of t33 t34)
    (hero-at t02) (boulder-at stone1 t12) (blocked t12) (plate t30))
  (:goal (and
      (pressed t30))))
