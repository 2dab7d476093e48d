(define (problem stone-age)
  (:domain woodland-craft)
  (:objects
    glade creek cliff quarry swamp dunes - spot
    z one two - num
    fossil - treasure)
  (:init
    (player-at creek)
    (path creek swamp) (path swamp creek) (path swamp dunes) (path dunes swamp) (path
    glade creek) (path creek glade) (path creek cliff) (path cliff creek) (path cliff
    quarry) (path quarry cliff)
    (succ z one) (succ one two)
    (have wood z) (have stone z) (have ore z)
    (treasure-at fossil swamp) (grove glade) (rock cliff) (rock quarry))
  (:goal (and
      (has-tool stone-pick)
      (furnace-at glade))))
