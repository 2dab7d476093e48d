(define (problem crate-shortage)
  (:domain vineyard-harvest)
  (:objects
    emil fay - worker
    a1 a2 a3 a4 - row
    depot winery - yard
    screw-press - press
    tractor-cart - cart
    box1 - crate
    s1 s2 - shears
    shiraz malbec - variety)
  (:init
    (path depot winery) (path winery depot)
    (path depot a1) (path a1 depot)
    (path a1 a2) (path a2 a1)
    (path a2 a3) (path a3 a2)
    (path depot a4) (path a4 depot)
    (track depot winery) (track winery depot)
    (track depot a1) (track a1 depot)
    (track depot a4) (track a4 depot)
    (at emil depot) (hands-free emil)
    (at fay winery) (hands-free fay)
    (at s1 a1) (at s2 winery)
    (at screw-press winery)
    (at tractor-cart depot) (cart-free tractor-cart)
    (at box1 depot) (empty box1)
    (tended a1) (overgrown a2) (tended a3) (overgrown a4)
    (bears a1 shiraz) (bears a2 shiraz) (bears a4 malbec))
  (:goal
    (and (pressed shiraz)
         (pressed malbec))))
