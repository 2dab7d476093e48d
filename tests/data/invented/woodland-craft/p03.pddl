(define (problem iron-age)
  (:domain woodland-craft)
  (:objects
    home pines ridge gorge mine tower bog - spot
    k0 k1 k2 k3 - num
    amber ring - treasure)
  (:init
    (player-at home)
    (path home tower) (path tower home) (path pines bog) (path bog pines) (path home
    pines) (path pines home) (path home ridge) (path ridge home) (path ridge mine) (path
    mine ridge) (path mine gorge) (path gorge mine)
    (succ k0 k1) (succ k1 k2) (succ k2 k3)
    (have wood k0) (have stone k0) (have ore k0)
    (treasure-at amber bog) (treasure-at ring tower) (monster-at tower) (grove pines)
    (rock ridge) (rock gorge) (vein mine) (table-at home) (has-tool wooden-pick))
  (:goal (and
      (has-ingot))))
