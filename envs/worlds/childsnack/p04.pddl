(define (problem childsnack-p04)
  (:domain child-snack)
  (:objects
    child1 child2 child3 child4 - child
    bread1 bread2 bread3 bread4 - bread-portion
    content1 content2 content3 content4 - content-portion
    sandw1 sandw2 sandw3 sandw4 sandw5 - sandwich
    tray1 tray2 - tray
    table1 table2 table3 - place)
  (:init
    (at_kitchen_bread bread1)
    (at_kitchen_bread bread2)
    (at_kitchen_bread bread3)
    (at_kitchen_bread bread4)
    (at_kitchen_content content1)
    (at_kitchen_content content2)
    (at_kitchen_content content3)
    (at_kitchen_content content4)
    (no_gluten_bread bread1)
    (no_gluten_bread bread4)
    (no_gluten_content content1)
    (no_gluten_content content2)
    (allergic_gluten child2)
    (allergic_gluten child3)
    (not_allergic_gluten child1)
    (not_allergic_gluten child4)
    (waiting child1 table3)
    (waiting child2 table1)
    (waiting child3 table3)
    (waiting child4 table3)
    (at tray1 table3)
    (at tray2 table3)
    (notexist sandw1)
    (notexist sandw2)
    (notexist sandw3)
    (notexist sandw4)
    (notexist sandw5))
  (:goal (and
    (served child1)
    (served child2)
    (served child3)
    (served child4))))
