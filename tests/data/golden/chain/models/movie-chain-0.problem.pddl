(define (problem movie-task)
  (:domain movie)
  (:objects snack1 snack2 snack3 snack4 snack5 snack6 snack7 snack8 snack9 snack10 snack11 snack12 snack13 snack14 snack15 snack16 snack17 snack18 snack19 snack20 snack21 snack22 snack23 snack24 snack25)
  ; (counter-at-two-hours): the counter stood at two hours when the film ended; never changes
  ; (counter-at-zero): the counter is at zero
  ; (movie-rewound): the tape is rewound
  ; (chips ?x - object): snack x is chips
  ; (dip ?x - object): snack x is dip
  ; (pop ?x - object): snack x is pop
  ; (cheese ?x - object): snack x is cheese
  ; (crackers ?x - object): snack x is crackers
  ; (have-dip): there is dip at hand
  ; (have-pop): there is pop at hand
  ; (have-cheese): there is cheese at hand
  (:init
    (counter-at-two-hours)
    (counter-at-zero)
    (chips snack1)
    (chips snack6)
    (chips snack8)
    (chips snack11)
    (chips snack13)
    (chips snack24)
    (dip snack15)
    (dip snack18)
    (dip snack22)
    (pop snack2)
    (pop snack3)
    (pop snack7)
    (pop snack20)
    (pop snack23)
    (cheese snack5)
    (cheese snack9)
    (cheese snack12)
    (cheese snack17)
    (cheese snack25)
    (crackers snack4)
    (crackers snack10)
    (crackers snack14)
    (crackers snack16)
    (crackers snack19)
    (crackers snack21))
  (:goal (and (movie-rewound) (counter-at-zero) (have-dip) (have-pop) (have-cheese))))
