; Mini-Minecraft: an agent walks over a map of tiles, mines raw materials and crafts things from them.
; Names and parameters are those of the crafting world of Wong et al. 2023, which Siegel et al. use, so that
; its tasks can be read. New here: the axe and the pickaxe can be crafted too, and objects may be fixed.
; Inequalities that the other conditions imply are written out: they keep grounding small.
(define (domain crafting-world-v20230106)
  (:requirements :strips :typing :equality :negative-preconditions)
  (:types tile inventory object-type - object)
  (:constants
    Axe Pickaxe Sword Shears Key
    Tree IronOreVein CoalOreVein GoldOreVein CobblestoneStash Chicken Sheep PotatoPlant BeetrootCrop
    SugarCanePlant
    WorkStation WeaponStation ToolStation BedStation BoatStation Furnace FoodStation
    Wood WoodPlank Stick IronOre IronIngot Coal GoldOre GoldIngot Cobblestone Feather Arrow Wool Bed Boat
    SugarCane Paper Bowl Potato CookedPotato Beetroot BeetrootSoup
    Hypothetical Trash - object-type)
  (:predicates
    (tile-up ?t1 ?t2 - tile)
    (tile-down ?t1 ?t2 - tile)
    (tile-left ?t1 ?t2 - tile)
    (tile-right ?t1 ?t2 - tile)
    (agent-at ?t - tile)
    (object-at ?x - object ?t - tile)
    (object-fixed ?x - object)
    (inventory-holding ?i - inventory ?x - object)
    (inventory-empty ?i - inventory)
    (object-of-type ?x - object ?ot - object-type))

  (:action move-up
    :parameters (?t1 ?t2 - tile)
    :precondition (and (agent-at ?t1) (tile-up ?t1 ?t2))
    :effect (and (agent-at ?t2) (not (agent-at ?t1))))

  (:action move-down
    :parameters (?t1 ?t2 - tile)
    :precondition (and (agent-at ?t1) (tile-down ?t1 ?t2))
    :effect (and (agent-at ?t2) (not (agent-at ?t1))))

  (:action move-left
    :parameters (?t1 ?t2 - tile)
    :precondition (and (agent-at ?t1) (tile-left ?t1 ?t2))
    :effect (and (agent-at ?t2) (not (agent-at ?t1))))

  (:action move-right
    :parameters (?t1 ?t2 - tile)
    :precondition (and (agent-at ?t1) (tile-right ?t1 ?t2))
    :effect (and (agent-at ?t2) (not (agent-at ?t1))))

  (:action pick-up
    :parameters (?i - inventory ?x - object ?t - tile)
    :precondition (and (agent-at ?t) (object-at ?x ?t) (not (object-fixed ?x)) (inventory-empty ?i))
    :effect (and (inventory-holding ?i ?x) (not (object-at ?x ?t)) (not (inventory-empty ?i))))

  (:action place-down
    :parameters (?i - inventory ?x - object ?t - tile)
    :precondition (and (agent-at ?t) (inventory-holding ?i ?x))
    :effect (and (object-at ?x ?t) (inventory-empty ?i) (not (inventory-holding ?i ?x))))

  (:action mine-iron-ore
    :parameters (?toolinv ?targetinv - inventory ?x ?tool ?target - object ?t - tile)
    :precondition (and (agent-at ?t) (object-at ?x ?t) (object-of-type ?x IronOreVein)
      (inventory-holding ?toolinv ?tool) (object-of-type ?tool Pickaxe)
      (inventory-empty ?targetinv) (object-of-type ?target Hypothetical)
      (not (= ?toolinv ?targetinv)) (not (= ?tool ?target)))
    :effect (and (inventory-holding ?targetinv ?target) (not (inventory-empty ?targetinv))
      (object-of-type ?target IronOre) (not (object-of-type ?target Hypothetical))))

  (:action mine-coal
    :parameters (?toolinv ?targetinv - inventory ?x ?tool ?target - object ?t - tile)
    :precondition (and (agent-at ?t) (object-at ?x ?t) (object-of-type ?x CoalOreVein)
      (inventory-holding ?toolinv ?tool) (object-of-type ?tool Pickaxe)
      (inventory-empty ?targetinv) (object-of-type ?target Hypothetical)
      (not (= ?toolinv ?targetinv)) (not (= ?tool ?target)))
    :effect (and (inventory-holding ?targetinv ?target) (not (inventory-empty ?targetinv))
      (object-of-type ?target Coal) (not (object-of-type ?target Hypothetical))))

  (:action mine-cobblestone
    :parameters (?toolinv ?targetinv - inventory ?x ?tool ?target - object ?t - tile)
    :precondition (and (agent-at ?t) (object-at ?x ?t) (object-of-type ?x CobblestoneStash)
      (inventory-holding ?toolinv ?tool) (object-of-type ?tool Pickaxe)
      (inventory-empty ?targetinv) (object-of-type ?target Hypothetical)
      (not (= ?toolinv ?targetinv)) (not (= ?tool ?target)))
    :effect (and (inventory-holding ?targetinv ?target) (not (inventory-empty ?targetinv))
      (object-of-type ?target Cobblestone) (not (object-of-type ?target Hypothetical))))

  (:action mine-wood
    :parameters (?toolinv ?targetinv - inventory ?x ?tool ?target - object ?t - tile)
    :precondition (and (agent-at ?t) (object-at ?x ?t) (object-of-type ?x Tree)
      (inventory-holding ?toolinv ?tool) (object-of-type ?tool Axe)
      (inventory-empty ?targetinv) (object-of-type ?target Hypothetical)
      (not (= ?toolinv ?targetinv)) (not (= ?tool ?target)))
    :effect (and (inventory-holding ?targetinv ?target) (not (inventory-empty ?targetinv))
      (object-of-type ?target Wood) (not (object-of-type ?target Hypothetical))))

  (:action mine-feather
    :parameters (?toolinv ?targetinv - inventory ?x ?tool ?target - object ?t - tile)
    :precondition (and (agent-at ?t) (object-at ?x ?t) (object-of-type ?x Chicken)
      (inventory-holding ?toolinv ?tool) (object-of-type ?tool Sword)
      (inventory-empty ?targetinv) (object-of-type ?target Hypothetical)
      (not (= ?toolinv ?targetinv)) (not (= ?tool ?target)))
    :effect (and (inventory-holding ?targetinv ?target) (not (inventory-empty ?targetinv))
      (object-of-type ?target Feather) (not (object-of-type ?target Hypothetical))))

  (:action mine-wool1
    :parameters (?toolinv ?targetinv - inventory ?x ?tool ?target - object ?t - tile)
    :precondition (and (agent-at ?t) (object-at ?x ?t) (object-of-type ?x Sheep)
      (inventory-holding ?toolinv ?tool) (object-of-type ?tool Shears)
      (inventory-empty ?targetinv) (object-of-type ?target Hypothetical)
      (not (= ?toolinv ?targetinv)) (not (= ?tool ?target)))
    :effect (and (inventory-holding ?targetinv ?target) (not (inventory-empty ?targetinv))
      (object-of-type ?target Wool) (not (object-of-type ?target Hypothetical))))

  (:action mine-wool2
    :parameters (?toolinv ?targetinv - inventory ?x ?tool ?target - object ?t - tile)
    :precondition (and (agent-at ?t) (object-at ?x ?t) (object-of-type ?x Sheep)
      (inventory-holding ?toolinv ?tool) (object-of-type ?tool Sword)
      (inventory-empty ?targetinv) (object-of-type ?target Hypothetical)
      (not (= ?toolinv ?targetinv)) (not (= ?tool ?target)))
    :effect (and (inventory-holding ?targetinv ?target) (not (inventory-empty ?targetinv))
      (object-of-type ?target Wool) (not (object-of-type ?target Hypothetical))))

  (:action mine-potato
    :parameters (?targetinv - inventory ?x ?target - object ?t - tile)
    :precondition (and (agent-at ?t) (object-at ?x ?t) (object-of-type ?x PotatoPlant)
      (inventory-empty ?targetinv) (object-of-type ?target Hypothetical))
    :effect (and (inventory-holding ?targetinv ?target) (not (inventory-empty ?targetinv))
      (object-of-type ?target Potato) (not (object-of-type ?target Hypothetical))))

  (:action mine-beetroot
    :parameters (?targetinv - inventory ?x ?target - object ?t - tile)
    :precondition (and (agent-at ?t) (object-at ?x ?t) (object-of-type ?x BeetrootCrop)
      (inventory-empty ?targetinv) (object-of-type ?target Hypothetical))
    :effect (and (inventory-holding ?targetinv ?target) (not (inventory-empty ?targetinv))
      (object-of-type ?target Beetroot) (not (object-of-type ?target Hypothetical))))

  (:action mine-gold-ore
    :parameters (?toolinv ?targetinv - inventory ?x ?tool ?target - object ?t - tile)
    :precondition (and (agent-at ?t) (object-at ?x ?t) (object-of-type ?x GoldOreVein)
      (inventory-holding ?toolinv ?tool) (object-of-type ?tool Pickaxe)
      (inventory-empty ?targetinv) (object-of-type ?target Hypothetical)
      (not (= ?toolinv ?targetinv)) (not (= ?tool ?target)))
    :effect (and (inventory-holding ?targetinv ?target) (not (inventory-empty ?targetinv))
      (object-of-type ?target GoldOre) (not (object-of-type ?target Hypothetical))))

  (:action mine-sugar-cane
    :parameters (?targetinv - inventory ?x ?target - object ?t - tile)
    :precondition (and (agent-at ?t) (object-at ?x ?t) (object-of-type ?x SugarCanePlant)
      (inventory-empty ?targetinv) (object-of-type ?target Hypothetical))
    :effect (and (inventory-holding ?targetinv ?target) (not (inventory-empty ?targetinv))
      (object-of-type ?target SugarCane) (not (object-of-type ?target Hypothetical))))

  (:action craft-wood-plank
    :parameters (?ingredientinv1 ?targetinv - inventory
      ?station ?ingredient1 ?target - object ?t - tile)
    :precondition (and (agent-at ?t) (object-at ?station ?t) (object-of-type ?station WorkStation)
      (inventory-holding ?ingredientinv1 ?ingredient1) (object-of-type ?ingredient1 Wood)
      (inventory-empty ?targetinv) (object-of-type ?target Hypothetical)
      (not (= ?ingredientinv1 ?targetinv)) (not (= ?ingredient1 ?target)))
    :effect (and (inventory-holding ?targetinv ?target) (not (inventory-empty ?targetinv))
      (object-of-type ?target WoodPlank) (not (object-of-type ?target Hypothetical))
      (inventory-empty ?ingredientinv1) (not (inventory-holding ?ingredientinv1 ?ingredient1))
      (object-of-type ?ingredient1 Hypothetical) (not (object-of-type ?ingredient1 Wood))))

  (:action craft-stick
    :parameters (?ingredientinv1 ?targetinv - inventory
      ?station ?ingredient1 ?target - object ?t - tile)
    :precondition (and (agent-at ?t) (object-at ?station ?t) (object-of-type ?station WorkStation)
      (inventory-holding ?ingredientinv1 ?ingredient1) (object-of-type ?ingredient1 WoodPlank)
      (inventory-empty ?targetinv) (object-of-type ?target Hypothetical)
      (not (= ?ingredientinv1 ?targetinv)) (not (= ?ingredient1 ?target)))
    :effect (and (inventory-holding ?targetinv ?target) (not (inventory-empty ?targetinv))
      (object-of-type ?target Stick) (not (object-of-type ?target Hypothetical))
      (inventory-empty ?ingredientinv1) (not (inventory-holding ?ingredientinv1 ?ingredient1))
      (object-of-type ?ingredient1 Hypothetical) (not (object-of-type ?ingredient1 WoodPlank))))

  (:action craft-arrow
    :parameters (?ingredientinv1 ?ingredientinv2 ?targetinv - inventory
      ?station ?ingredient1 ?ingredient2 ?target - object ?t - tile)
    :precondition (and (agent-at ?t) (object-at ?station ?t) (object-of-type ?station WeaponStation)
      (inventory-holding ?ingredientinv1 ?ingredient1) (object-of-type ?ingredient1 Stick)
      (inventory-holding ?ingredientinv2 ?ingredient2) (object-of-type ?ingredient2 Feather)
      (inventory-empty ?targetinv) (object-of-type ?target Hypothetical)
      (not (= ?ingredientinv1 ?ingredientinv2)) (not (= ?ingredient1 ?ingredient2))
      (not (= ?ingredientinv1 ?targetinv)) (not (= ?ingredient1 ?target))
      (not (= ?ingredientinv2 ?targetinv)) (not (= ?ingredient2 ?target)))
    :effect (and (inventory-holding ?targetinv ?target) (not (inventory-empty ?targetinv))
      (object-of-type ?target Arrow) (not (object-of-type ?target Hypothetical))
      (inventory-empty ?ingredientinv1) (not (inventory-holding ?ingredientinv1 ?ingredient1))
      (object-of-type ?ingredient1 Hypothetical) (not (object-of-type ?ingredient1 Stick))
      (inventory-empty ?ingredientinv2) (not (inventory-holding ?ingredientinv2 ?ingredient2))
      (object-of-type ?ingredient2 Hypothetical) (not (object-of-type ?ingredient2 Feather))))

  (:action craft-sword
    :parameters (?ingredientinv1 ?ingredientinv2 ?targetinv - inventory
      ?station ?ingredient1 ?ingredient2 ?target - object ?t - tile)
    :precondition (and (agent-at ?t) (object-at ?station ?t) (object-of-type ?station WeaponStation)
      (inventory-holding ?ingredientinv1 ?ingredient1) (object-of-type ?ingredient1 Stick)
      (inventory-holding ?ingredientinv2 ?ingredient2) (object-of-type ?ingredient2 IronIngot)
      (inventory-empty ?targetinv) (object-of-type ?target Hypothetical)
      (not (= ?ingredientinv1 ?ingredientinv2)) (not (= ?ingredient1 ?ingredient2))
      (not (= ?ingredientinv1 ?targetinv)) (not (= ?ingredient1 ?target))
      (not (= ?ingredientinv2 ?targetinv)) (not (= ?ingredient2 ?target)))
    :effect (and (inventory-holding ?targetinv ?target) (not (inventory-empty ?targetinv))
      (object-of-type ?target Sword) (not (object-of-type ?target Hypothetical))
      (inventory-empty ?ingredientinv1) (not (inventory-holding ?ingredientinv1 ?ingredient1))
      (object-of-type ?ingredient1 Hypothetical) (not (object-of-type ?ingredient1 Stick))
      (inventory-empty ?ingredientinv2) (not (inventory-holding ?ingredientinv2 ?ingredient2))
      (object-of-type ?ingredient2 Hypothetical) (not (object-of-type ?ingredient2 IronIngot))))

  (:action craft-shears1
    :parameters (?ingredientinv1 ?targetinv - inventory
      ?station ?ingredient1 ?target - object ?t - tile)
    :precondition (and (agent-at ?t) (object-at ?station ?t) (object-of-type ?station ToolStation)
      (inventory-holding ?ingredientinv1 ?ingredient1) (object-of-type ?ingredient1 IronIngot)
      (inventory-empty ?targetinv) (object-of-type ?target Hypothetical)
      (not (= ?ingredientinv1 ?targetinv)) (not (= ?ingredient1 ?target)))
    :effect (and (inventory-holding ?targetinv ?target) (not (inventory-empty ?targetinv))
      (object-of-type ?target Shears) (not (object-of-type ?target Hypothetical))
      (inventory-empty ?ingredientinv1) (not (inventory-holding ?ingredientinv1 ?ingredient1))
      (object-of-type ?ingredient1 Hypothetical) (not (object-of-type ?ingredient1 IronIngot))))

  (:action craft-shears2
    :parameters (?ingredientinv1 ?targetinv - inventory
      ?station ?ingredient1 ?target - object ?t - tile)
    :precondition (and (agent-at ?t) (object-at ?station ?t) (object-of-type ?station ToolStation)
      (inventory-holding ?ingredientinv1 ?ingredient1) (object-of-type ?ingredient1 GoldIngot)
      (inventory-empty ?targetinv) (object-of-type ?target Hypothetical)
      (not (= ?ingredientinv1 ?targetinv)) (not (= ?ingredient1 ?target)))
    :effect (and (inventory-holding ?targetinv ?target) (not (inventory-empty ?targetinv))
      (object-of-type ?target Shears) (not (object-of-type ?target Hypothetical))
      (inventory-empty ?ingredientinv1) (not (inventory-holding ?ingredientinv1 ?ingredient1))
      (object-of-type ?ingredient1 Hypothetical) (not (object-of-type ?ingredient1 GoldIngot))))

  (:action craft-axe
    :parameters (?ingredientinv1 ?ingredientinv2 ?targetinv - inventory
      ?station ?ingredient1 ?ingredient2 ?target - object ?t - tile)
    :precondition (and (agent-at ?t) (object-at ?station ?t) (object-of-type ?station ToolStation)
      (inventory-holding ?ingredientinv1 ?ingredient1) (object-of-type ?ingredient1 Stick)
      (inventory-holding ?ingredientinv2 ?ingredient2) (object-of-type ?ingredient2 IronIngot)
      (inventory-empty ?targetinv) (object-of-type ?target Hypothetical)
      (not (= ?ingredientinv1 ?ingredientinv2)) (not (= ?ingredient1 ?ingredient2))
      (not (= ?ingredientinv1 ?targetinv)) (not (= ?ingredient1 ?target))
      (not (= ?ingredientinv2 ?targetinv)) (not (= ?ingredient2 ?target)))
    :effect (and (inventory-holding ?targetinv ?target) (not (inventory-empty ?targetinv))
      (object-of-type ?target Axe) (not (object-of-type ?target Hypothetical))
      (inventory-empty ?ingredientinv1) (not (inventory-holding ?ingredientinv1 ?ingredient1))
      (object-of-type ?ingredient1 Hypothetical) (not (object-of-type ?ingredient1 Stick))
      (inventory-empty ?ingredientinv2) (not (inventory-holding ?ingredientinv2 ?ingredient2))
      (object-of-type ?ingredient2 Hypothetical) (not (object-of-type ?ingredient2 IronIngot))))

  (:action craft-pickaxe
    :parameters (?ingredientinv1 ?ingredientinv2 ?targetinv - inventory
      ?station ?ingredient1 ?ingredient2 ?target - object ?t - tile)
    :precondition (and (agent-at ?t) (object-at ?station ?t) (object-of-type ?station ToolStation)
      (inventory-holding ?ingredientinv1 ?ingredient1) (object-of-type ?ingredient1 Stick)
      (inventory-holding ?ingredientinv2 ?ingredient2) (object-of-type ?ingredient2 Cobblestone)
      (inventory-empty ?targetinv) (object-of-type ?target Hypothetical)
      (not (= ?ingredientinv1 ?ingredientinv2)) (not (= ?ingredient1 ?ingredient2))
      (not (= ?ingredientinv1 ?targetinv)) (not (= ?ingredient1 ?target))
      (not (= ?ingredientinv2 ?targetinv)) (not (= ?ingredient2 ?target)))
    :effect (and (inventory-holding ?targetinv ?target) (not (inventory-empty ?targetinv))
      (object-of-type ?target Pickaxe) (not (object-of-type ?target Hypothetical))
      (inventory-empty ?ingredientinv1) (not (inventory-holding ?ingredientinv1 ?ingredient1))
      (object-of-type ?ingredient1 Hypothetical) (not (object-of-type ?ingredient1 Stick))
      (inventory-empty ?ingredientinv2) (not (inventory-holding ?ingredientinv2 ?ingredient2))
      (object-of-type ?ingredient2 Hypothetical) (not (object-of-type ?ingredient2 Cobblestone))))

  (:action craft-iron-ingot
    :parameters (?ingredientinv1 ?ingredientinv2 ?targetinv - inventory
      ?station ?ingredient1 ?ingredient2 ?target - object ?t - tile)
    :precondition (and (agent-at ?t) (object-at ?station ?t) (object-of-type ?station Furnace)
      (inventory-holding ?ingredientinv1 ?ingredient1) (object-of-type ?ingredient1 IronOre)
      (inventory-holding ?ingredientinv2 ?ingredient2) (object-of-type ?ingredient2 Coal)
      (inventory-empty ?targetinv) (object-of-type ?target Hypothetical)
      (not (= ?ingredientinv1 ?ingredientinv2)) (not (= ?ingredient1 ?ingredient2))
      (not (= ?ingredientinv1 ?targetinv)) (not (= ?ingredient1 ?target))
      (not (= ?ingredientinv2 ?targetinv)) (not (= ?ingredient2 ?target)))
    :effect (and (inventory-holding ?targetinv ?target) (not (inventory-empty ?targetinv))
      (object-of-type ?target IronIngot) (not (object-of-type ?target Hypothetical))
      (inventory-empty ?ingredientinv1) (not (inventory-holding ?ingredientinv1 ?ingredient1))
      (object-of-type ?ingredient1 Hypothetical) (not (object-of-type ?ingredient1 IronOre))
      (inventory-empty ?ingredientinv2) (not (inventory-holding ?ingredientinv2 ?ingredient2))
      (object-of-type ?ingredient2 Hypothetical) (not (object-of-type ?ingredient2 Coal))))

  (:action craft-gold-ingot
    :parameters (?ingredientinv1 ?ingredientinv2 ?targetinv - inventory
      ?station ?ingredient1 ?ingredient2 ?target - object ?t - tile)
    :precondition (and (agent-at ?t) (object-at ?station ?t) (object-of-type ?station Furnace)
      (inventory-holding ?ingredientinv1 ?ingredient1) (object-of-type ?ingredient1 GoldOre)
      (inventory-holding ?ingredientinv2 ?ingredient2) (object-of-type ?ingredient2 Coal)
      (inventory-empty ?targetinv) (object-of-type ?target Hypothetical)
      (not (= ?ingredientinv1 ?ingredientinv2)) (not (= ?ingredient1 ?ingredient2))
      (not (= ?ingredientinv1 ?targetinv)) (not (= ?ingredient1 ?target))
      (not (= ?ingredientinv2 ?targetinv)) (not (= ?ingredient2 ?target)))
    :effect (and (inventory-holding ?targetinv ?target) (not (inventory-empty ?targetinv))
      (object-of-type ?target GoldIngot) (not (object-of-type ?target Hypothetical))
      (inventory-empty ?ingredientinv1) (not (inventory-holding ?ingredientinv1 ?ingredient1))
      (object-of-type ?ingredient1 Hypothetical) (not (object-of-type ?ingredient1 GoldOre))
      (inventory-empty ?ingredientinv2) (not (inventory-holding ?ingredientinv2 ?ingredient2))
      (object-of-type ?ingredient2 Hypothetical) (not (object-of-type ?ingredient2 Coal))))

  (:action craft-bed
    :parameters (?ingredientinv1 ?ingredientinv2 ?targetinv - inventory
      ?station ?ingredient1 ?ingredient2 ?target - object ?t - tile)
    :precondition (and (agent-at ?t) (object-at ?station ?t) (object-of-type ?station BedStation)
      (inventory-holding ?ingredientinv1 ?ingredient1) (object-of-type ?ingredient1 WoodPlank)
      (inventory-holding ?ingredientinv2 ?ingredient2) (object-of-type ?ingredient2 Wool)
      (inventory-empty ?targetinv) (object-of-type ?target Hypothetical)
      (not (= ?ingredientinv1 ?ingredientinv2)) (not (= ?ingredient1 ?ingredient2))
      (not (= ?ingredientinv1 ?targetinv)) (not (= ?ingredient1 ?target))
      (not (= ?ingredientinv2 ?targetinv)) (not (= ?ingredient2 ?target)))
    :effect (and (inventory-holding ?targetinv ?target) (not (inventory-empty ?targetinv))
      (object-of-type ?target Bed) (not (object-of-type ?target Hypothetical))
      (inventory-empty ?ingredientinv1) (not (inventory-holding ?ingredientinv1 ?ingredient1))
      (object-of-type ?ingredient1 Hypothetical) (not (object-of-type ?ingredient1 WoodPlank))
      (inventory-empty ?ingredientinv2) (not (inventory-holding ?ingredientinv2 ?ingredient2))
      (object-of-type ?ingredient2 Hypothetical) (not (object-of-type ?ingredient2 Wool))))

  (:action craft-boat
    :parameters (?ingredientinv1 ?targetinv - inventory
      ?station ?ingredient1 ?target - object ?t - tile)
    :precondition (and (agent-at ?t) (object-at ?station ?t) (object-of-type ?station BoatStation)
      (inventory-holding ?ingredientinv1 ?ingredient1) (object-of-type ?ingredient1 WoodPlank)
      (inventory-empty ?targetinv) (object-of-type ?target Hypothetical)
      (not (= ?ingredientinv1 ?targetinv)) (not (= ?ingredient1 ?target)))
    :effect (and (inventory-holding ?targetinv ?target) (not (inventory-empty ?targetinv))
      (object-of-type ?target Boat) (not (object-of-type ?target Hypothetical))
      (inventory-empty ?ingredientinv1) (not (inventory-holding ?ingredientinv1 ?ingredient1))
      (object-of-type ?ingredient1 Hypothetical) (not (object-of-type ?ingredient1 WoodPlank))))

  (:action craft-bowl1
    :parameters (?ingredientinv1 ?targetinv - inventory
      ?station ?ingredient1 ?target - object ?t - tile)
    :precondition (and (agent-at ?t) (object-at ?station ?t) (object-of-type ?station FoodStation)
      (inventory-holding ?ingredientinv1 ?ingredient1) (object-of-type ?ingredient1 WoodPlank)
      (inventory-empty ?targetinv) (object-of-type ?target Hypothetical)
      (not (= ?ingredientinv1 ?targetinv)) (not (= ?ingredient1 ?target)))
    :effect (and (inventory-holding ?targetinv ?target) (not (inventory-empty ?targetinv))
      (object-of-type ?target Bowl) (not (object-of-type ?target Hypothetical))
      (inventory-empty ?ingredientinv1) (not (inventory-holding ?ingredientinv1 ?ingredient1))
      (object-of-type ?ingredient1 Hypothetical) (not (object-of-type ?ingredient1 WoodPlank))))

  (:action craft-bowl2
    :parameters (?ingredientinv1 ?targetinv - inventory
      ?station ?ingredient1 ?target - object ?t - tile)
    :precondition (and (agent-at ?t) (object-at ?station ?t) (object-of-type ?station FoodStation)
      (inventory-holding ?ingredientinv1 ?ingredient1) (object-of-type ?ingredient1 IronIngot)
      (inventory-empty ?targetinv) (object-of-type ?target Hypothetical)
      (not (= ?ingredientinv1 ?targetinv)) (not (= ?ingredient1 ?target)))
    :effect (and (inventory-holding ?targetinv ?target) (not (inventory-empty ?targetinv))
      (object-of-type ?target Bowl) (not (object-of-type ?target Hypothetical))
      (inventory-empty ?ingredientinv1) (not (inventory-holding ?ingredientinv1 ?ingredient1))
      (object-of-type ?ingredient1 Hypothetical) (not (object-of-type ?ingredient1 IronIngot))))

  (:action craft-cooked-potato
    :parameters (?ingredientinv1 ?ingredientinv2 ?targetinv - inventory
      ?station ?ingredient1 ?ingredient2 ?target - object ?t - tile)
    :precondition (and (agent-at ?t) (object-at ?station ?t) (object-of-type ?station Furnace)
      (inventory-holding ?ingredientinv1 ?ingredient1) (object-of-type ?ingredient1 Potato)
      (inventory-holding ?ingredientinv2 ?ingredient2) (object-of-type ?ingredient2 Coal)
      (inventory-empty ?targetinv) (object-of-type ?target Hypothetical)
      (not (= ?ingredientinv1 ?ingredientinv2)) (not (= ?ingredient1 ?ingredient2))
      (not (= ?ingredientinv1 ?targetinv)) (not (= ?ingredient1 ?target))
      (not (= ?ingredientinv2 ?targetinv)) (not (= ?ingredient2 ?target)))
    :effect (and (inventory-holding ?targetinv ?target) (not (inventory-empty ?targetinv))
      (object-of-type ?target CookedPotato) (not (object-of-type ?target Hypothetical))
      (inventory-empty ?ingredientinv1) (not (inventory-holding ?ingredientinv1 ?ingredient1))
      (object-of-type ?ingredient1 Hypothetical) (not (object-of-type ?ingredient1 Potato))
      (inventory-empty ?ingredientinv2) (not (inventory-holding ?ingredientinv2 ?ingredient2))
      (object-of-type ?ingredient2 Hypothetical) (not (object-of-type ?ingredient2 Coal))))

  (:action craft-beetroot-soup
    :parameters (?ingredientinv1 ?ingredientinv2 ?targetinv - inventory
      ?station ?ingredient1 ?ingredient2 ?target - object ?t - tile)
    :precondition (and (agent-at ?t) (object-at ?station ?t) (object-of-type ?station FoodStation)
      (inventory-holding ?ingredientinv1 ?ingredient1) (object-of-type ?ingredient1 Beetroot)
      (inventory-holding ?ingredientinv2 ?ingredient2) (object-of-type ?ingredient2 Bowl)
      (inventory-empty ?targetinv) (object-of-type ?target Hypothetical)
      (not (= ?ingredientinv1 ?ingredientinv2)) (not (= ?ingredient1 ?ingredient2))
      (not (= ?ingredientinv1 ?targetinv)) (not (= ?ingredient1 ?target))
      (not (= ?ingredientinv2 ?targetinv)) (not (= ?ingredient2 ?target)))
    :effect (and (inventory-holding ?targetinv ?target) (not (inventory-empty ?targetinv))
      (object-of-type ?target BeetrootSoup) (not (object-of-type ?target Hypothetical))
      (inventory-empty ?ingredientinv1) (not (inventory-holding ?ingredientinv1 ?ingredient1))
      (object-of-type ?ingredient1 Hypothetical) (not (object-of-type ?ingredient1 Beetroot))
      (inventory-empty ?ingredientinv2) (not (inventory-holding ?ingredientinv2 ?ingredient2))
      (object-of-type ?ingredient2 Hypothetical) (not (object-of-type ?ingredient2 Bowl))))

  (:action craft-paper
    :parameters (?ingredientinv1 ?targetinv - inventory
      ?station ?ingredient1 ?target - object ?t - tile)
    :precondition (and (agent-at ?t) (object-at ?station ?t) (object-of-type ?station WorkStation)
      (inventory-holding ?ingredientinv1 ?ingredient1) (object-of-type ?ingredient1 SugarCane)
      (inventory-empty ?targetinv) (object-of-type ?target Hypothetical)
      (not (= ?ingredientinv1 ?targetinv)) (not (= ?ingredient1 ?target)))
    :effect (and (inventory-holding ?targetinv ?target) (not (inventory-empty ?targetinv))
      (object-of-type ?target Paper) (not (object-of-type ?target Hypothetical))
      (inventory-empty ?ingredientinv1) (not (inventory-holding ?ingredientinv1 ?ingredient1))
      (object-of-type ?ingredient1 Hypothetical) (not (object-of-type ?ingredient1 SugarCane)))))
