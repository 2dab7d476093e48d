(define (problem estate-harvest)
  (:domain vineyard-harvest)
  (:objects
    gil hana - worker
    n1 n2 n3 s1 s2 - row
    court press-house - yard
    press-n press-s - press
    cart-n cart-s - cart
    b1 b2 b3 - crate
    loppers pruner - shears
    syrah viognier muscat - variety)
  (:init
    (path court press-house) (path press-house court)
    (path court n1) (path n1 court)
    (path n1 n2) (path n2 n1)
    (path n2 n3) (path n3 n2)
    (path court s1) (path s1 court)
    (path s1 s2) (path s2 s1)
    (track court press-house) (track press-house court)
    (track court n1) (track n1 court)
    (track n1 n2) (track n2 n1)
    (track court s1) (track s1 court)
    (at gil court) (hands-free gil)
    (at hana s2) (has hana pruner)
    (at loppers n3)
    (at press-n press-house) (at press-s press-house)
    (at cart-n n1) (cart-free cart-n)
    (at cart-s court) (on b2 cart-s)
    (at b1 n2) (empty b1) (empty b2) (at b3 press-house) (holds b3 muscat)
    (overgrown s1) (overgrown s2) (tended n2) (overgrown n3) (tended n1)
    (bears n2 syrah) (bears s1 viognier) (bears n3 muscat))
  (:goal
    (and (pressed syrah)
         (pressed viognier)
         (pressed muscat)
         (tended s2))))
