(define (problem blocksworld_ood-task)
  (:domain blocksworld_ood)
  (:objects b1 b2 b3 b4)
  ; (on ?x - object ?y - object): block ?x sits on block ?y
  ; (on-table ?x - object): block ?x stands on the table
  ; (clear ?x - object): nothing sits on block ?x, and it is not held
  ; (hand-empty): the hand is empty
  ; (holding ?x - object): the hand holds block ?x (none initially)
  ; (upright ?x - object): block ?x is upright (none initially)
  (:init
    (on b1 b3)
    (on b2 b1)
    (on b3 b4)
    (on-table b4)
    (clear b2)
    (hand-empty))
  (:goal (and (on b3 b1) (on b4 b3) (upright b1) (upright b2) (upright b4))))
