; A barman mixes cocktails in a shaker and serves them in shot glasses. Names, parameter orders and costs as in
; the IPC-2011 Barman domain; only published tasks ask for low costs.
(define (domain barman)
  (:requirements :strips :typing :action-costs)
  (:types
    hand level beverage dispenser container - object
    ingredient cocktail - beverage
    shot shaker - container)
  (:predicates
    (ontable ?c - container)
    (holding ?h - hand ?c - container)
    (handempty ?h - hand)
    (empty ?c - container)
    (contains ?c - container ?b - beverage)
    (clean ?c - container)
    (used ?c - container ?b - beverage)
    (dispenses ?d - dispenser ?i - ingredient)
    (shaker-empty-level ?s - shaker ?l - level)
    (shaker-level ?s - shaker ?l - level)
    (next ?l1 ?l2 - level)
    (unshaked ?s - shaker)
    (shaked ?s - shaker)
    (cocktail-part1 ?c - cocktail ?i - ingredient)
    (cocktail-part2 ?c - cocktail ?i - ingredient))
  (:functions (total-cost) - number)

  ; Hands: in what follows, a hand that holds a container and an empty hand are never the same hand.

  (:action grasp
    :parameters (?h - hand ?c - container)
    :precondition (and (handempty ?h) (ontable ?c))
    :effect (and (holding ?h ?c) (not (handempty ?h)) (not (ontable ?c)) (increase (total-cost) 1)))

  (:action leave
    :parameters (?h - hand ?c - container)
    :precondition (holding ?h ?c)
    :effect (and (handempty ?h) (ontable ?c) (not (holding ?h ?c)) (increase (total-cost) 1)))

  ; Shot glasses

  (:action fill-shot
    :parameters (?s - shot ?i - ingredient ?h1 ?h2 - hand ?d - dispenser)
    :precondition (and (dispenses ?d ?i) (holding ?h1 ?s) (handempty ?h2) (empty ?s) (clean ?s))
    :effect (and (contains ?s ?i) (used ?s ?i) (not (empty ?s)) (not (clean ?s)) (increase (total-cost) 10)))

  (:action refill-shot
    :parameters (?s - shot ?i - ingredient ?h1 ?h2 - hand ?d - dispenser)
    :precondition (and (dispenses ?d ?i) (holding ?h1 ?s) (handempty ?h2) (empty ?s) (used ?s ?i))
    :effect (and (contains ?s ?i) (not (empty ?s)) (increase (total-cost) 10)))

  (:action empty-shot
    :parameters (?h - hand ?p - shot ?b - beverage)
    :precondition (and (holding ?h ?p) (contains ?p ?b))
    :effect (and (empty ?p) (not (contains ?p ?b)) (increase (total-cost) 1)))

  (:action clean-shot
    :parameters (?s - shot ?b - beverage ?h1 ?h2 - hand)
    :precondition (and (holding ?h1 ?s) (handempty ?h2) (empty ?s) (used ?s ?b))
    :effect (and (clean ?s) (not (used ?s ?b)) (increase (total-cost) 1)))

  ; From shot glasses into the shaker: ?l is its level before, ?l1 the one after.

  (:action pour-shot-to-clean-shaker
    :parameters (?s - shot ?i - ingredient ?d - shaker ?h1 - hand ?l ?l1 - level)
    :precondition (and (holding ?h1 ?s) (contains ?s ?i) (empty ?d) (clean ?d) (shaker-level ?d ?l) (next ?l ?l1))
    :effect (and (empty ?s) (not (contains ?s ?i))
                 (contains ?d ?i) (unshaked ?d) (not (empty ?d)) (not (clean ?d))
                 (shaker-level ?d ?l1) (not (shaker-level ?d ?l))
                 (increase (total-cost) 1)))

  (:action pour-shot-to-used-shaker
    :parameters (?s - shot ?i - ingredient ?d - shaker ?h1 - hand ?l ?l1 - level)
    :precondition (and (holding ?h1 ?s) (contains ?s ?i) (unshaked ?d) (shaker-level ?d ?l) (next ?l ?l1))
    :effect (and (empty ?s) (not (contains ?s ?i))
                 (contains ?d ?i)
                 (shaker-level ?d ?l1) (not (shaker-level ?d ?l))
                 (increase (total-cost) 1)))

  ; The shaker

  (:action empty-shaker
    :parameters (?h - hand ?s - shaker ?b - cocktail ?l ?l1 - level)
    :precondition (and (holding ?h ?s) (contains ?s ?b) (shaked ?s) (shaker-level ?s ?l) (shaker-empty-level ?s ?l1))
    :effect (and (empty ?s) (not (contains ?s ?b)) (not (shaked ?s))
                 (shaker-level ?s ?l1) (not (shaker-level ?s ?l))
                 (increase (total-cost) 1)))

  (:action clean-shaker
    :parameters (?h1 ?h2 - hand ?s - shaker)
    :precondition (and (holding ?h1 ?s) (handempty ?h2) (empty ?s))
    :effect (and (clean ?s) (increase (total-cost) 1)))

  (:action shake
    :parameters (?b - cocktail ?d1 ?d2 - ingredient ?s - shaker ?h1 ?h2 - hand)
    :precondition (and (cocktail-part1 ?b ?d1) (cocktail-part2 ?b ?d2) (holding ?h1 ?s) (handempty ?h2)
                       (contains ?s ?d1) (contains ?s ?d2) (unshaked ?s))
    :effect (and (contains ?s ?b) (not (contains ?s ?d1)) (not (contains ?s ?d2))
                 (shaked ?s) (not (unshaked ?s))
                 (increase (total-cost) 1)))

  (:action pour-shaker-to-shot
    :parameters (?b - beverage ?d - shot ?h - hand ?s - shaker ?l ?l1 - level)
    :precondition (and (holding ?h ?s) (shaked ?s) (contains ?s ?b) (empty ?d) (clean ?d)
                       (shaker-level ?s ?l) (next ?l1 ?l))
    :effect (and (contains ?d ?b) (not (empty ?d)) (not (clean ?d))
                 (shaker-level ?s ?l1) (not (shaker-level ?s ?l))
                 (increase (total-cost) 1))))
