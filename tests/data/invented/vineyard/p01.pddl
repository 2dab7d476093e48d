(define (problem south-slope)
  (:domain vineyard-harvest)
  (:objects
    anna - worker
    row1 row2 - row
    court - yard
    basket-press - press
    cart1 - cart
    c1 c2 - crate
    secateurs - shears
    riesling - variety)
  (:init
    (path court row1) (path row1 court)
    (path row1 row2) (path row2 row1)
    (track court row1) (track row1 court)
    (at anna court) (hands-free anna)
    (at secateurs row1) (at basket-press court)
    (at cart1 row1) (cart-free cart1)
    (at c1 row1) (empty c1) (at c2 court) (empty c2)
    (overgrown row1) (tended row2)
    (bears row1 riesling))
  (:goal
    (and (pressed riesling)
         (at anna court))))
