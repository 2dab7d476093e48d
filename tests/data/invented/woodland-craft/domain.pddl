; A small survival / crafting game.  Inventory slots are counted with
; a successor chain; the largest number is the bag size.
(define (domain woodland-craft)
(:requirements :strips :typing :negative-preconditions)
(:types spot num resource tool treasure)
(:constants
   wood stone ore - resource
   wooden-pick stone-pick sword - tool)
(:predicates
   (player-at ?s - spot)
   (path ?a ?b - spot)
   (river ?a ?b - spot)
   (grove ?s - spot)
   (rock ?s - spot)
   (vein ?s - spot)
   (table-at ?s - spot)
   (furnace-at ?s - spot)
   (monster-at ?s - spot)
   (treasure-at ?t - treasure ?s - spot)
   (collected ?t - treasure)
   (have ?r - resource ?n - num)
   (succ ?n ?m - num)
   (has-tool ?t - tool)
   (has-ingot))

(:action walk
 :parameters (?a ?b - spot)
 :precondition (and (player-at ?a) (path ?a ?b) (not (monster-at ?b)))
 :effect (and (not (player-at ?a)) (player-at ?b)))

(:action chop
 :parameters (?s - spot ?n ?m - num)
 :precondition (and (player-at ?s) (grove ?s) (have wood ?n) (succ ?n ?m))
 :effect (and (not (have wood ?n)) (have wood ?m)))

(:action build-table
 :parameters (?s - spot ?n ?m - num)
 :precondition (and (player-at ?s) (have wood ?m) (succ ?n ?m) (not (table-at ?s)))
 :effect (and (not (have wood ?m)) (have wood ?n) (table-at ?s)))

(:action craft-wooden-pick
 :parameters (?s - spot ?n ?m - num)
 :precondition (and (player-at ?s) (table-at ?s) (have wood ?m) (succ ?n ?m)
                    (not (has-tool wooden-pick)))
 :effect (and (not (have wood ?m)) (have wood ?n) (has-tool wooden-pick)))

(:action mine-stone
 :parameters (?s - spot ?n ?m - num)
 :precondition (and (player-at ?s) (rock ?s) (has-tool wooden-pick)
                    (have stone ?n) (succ ?n ?m))
 :effect (and (not (rock ?s)) (not (have stone ?n)) (have stone ?m)))

(:action craft-stone-pick
 :parameters (?s - spot ?w1 ?w2 ?t1 ?t2 - num)
 :precondition (and (player-at ?s) (table-at ?s)
                    (have wood ?w2) (succ ?w1 ?w2)
                    (have stone ?t2) (succ ?t1 ?t2)
                    (not (has-tool stone-pick)))
 :effect (and (not (have wood ?w2)) (have wood ?w1)
              (not (have stone ?t2)) (have stone ?t1)
              (has-tool stone-pick)))

(:action mine-ore
 :parameters (?s - spot ?n ?m - num)
 :precondition (and (player-at ?s) (vein ?s) (has-tool stone-pick)
                    (have ore ?n) (succ ?n ?m))
 :effect (and (not (vein ?s)) (not (have ore ?n)) (have ore ?m)))

(:action build-furnace
 :parameters (?s - spot ?n ?m - num)
 :precondition (and (player-at ?s) (have stone ?m) (succ ?n ?m) (not (furnace-at ?s)))
 :effect (and (not (have stone ?m)) (have stone ?n) (furnace-at ?s)))

(:action smelt
 :parameters (?s - spot ?w1 ?w2 ?o1 ?o2 - num)
 :precondition (and (player-at ?s) (furnace-at ?s) (not (has-ingot))
                    (have wood ?w2) (succ ?w1 ?w2)
                    (have ore ?o2) (succ ?o1 ?o2))
 :effect (and (not (have wood ?w2)) (have wood ?w1)
              (not (have ore ?o2)) (have ore ?o1)
              (has-ingot)))

(:action forge-sword
 :parameters (?s - spot ?n ?m - num)
 :precondition (and (player-at ?s) (table-at ?s) (has-ingot)
                    (have wood ?m) (succ ?n ?m))
 :effect (and (not (have wood ?m)) (have wood ?n)
              (not (has-ingot)) (has-tool sword)))

(:action build-bridge
 :parameters (?a ?b - spot ?n ?m - num)
 :precondition (and (player-at ?a) (river ?a ?b) (have wood ?m) (succ ?n ?m))
 :effect (and (not (have wood ?m)) (have wood ?n)
              (not (river ?a ?b)) (not (river ?b ?a))
              (path ?a ?b) (path ?b ?a)))

(:action slay
 :parameters (?a ?b - spot)
 :precondition (and (player-at ?a) (path ?a ?b) (monster-at ?b) (has-tool sword))
 :effect (not (monster-at ?b)))

(:action collect
 :parameters (?t - treasure ?s - spot)
 :precondition (and (player-at ?s) (treasure-at ?t ?s))
 :effect (and (not (treasure-at ?t ?s)) (collected ?t)))
)
