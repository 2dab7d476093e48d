(define (problem pandemic-day)
  (:domain hospital-courier)
  (:objects
    bot-a bot-b bot-c
    entry hub lift1 level2 sluice iso1 iso2 desk pharm kitchen
    sam ute vic wim mask vaccine soup swab letter)
  (:init
    (robot bot-a) (robot bot-b) (robot bot-c)
    (room entry) (room hub) (room lift1) (room level2) (room sluice) (room iso1) (room
    iso2) (room desk) (room pharm) (room kitchen)
    (nurse sam) (nurse ute) (nurse vic) (nurse wim)
    (item mask) (item vaccine) (item soup) (item swab) (item letter)
    (corridor entry hub) (corridor hub entry) (corridor hub pharm) (corridor pharm hub)
    (corridor hub kitchen) (corridor kitchen hub) (corridor hub lift1) (corridor lift1
    hub) (corridor lift1 level2) (corridor level2 lift1) (corridor level2 sluice)
    (corridor sluice level2) (corridor level2 desk) (corridor desk level2) (corridor
    sluice iso1) (corridor iso1 sluice) (corridor sluice iso2) (corridor iso2 sluice)
    (corridor hub sluice) (corridor sluice hub)
    (allowed bot-a entry) (allowed bot-a hub) (allowed bot-a pharm)
    (allowed bot-b hub) (allowed bot-b pharm) (allowed bot-b kitchen) (allowed bot-b
    lift1) (allowed bot-b sluice)
    (allowed bot-c lift1) (allowed bot-c level2) (allowed bot-c sluice) (allowed bot-c
    desk) (allowed bot-c iso1) (allowed bot-c iso2)
    (at bot-a entry) (at bot-b hub) (at bot-c level2) (at sam iso1) (at ute iso2) (at vic
    level2) (at wim hub) (at mask pharm) (at vaccine pharm) (at soup kitchen) (at swab
    iso1) (at letter entry)
    (free bot-a) (free bot-b) (free bot-c)
    (washroom sluice) (washroom pharm) (guard-desk desk) (isolation iso1) (isolation iso2)
    (sterile vaccine) (clean bot-b))
  (:goal (and
      (received sam vaccine)
      (received wim letter)
      (received vic swab)
      (at mask sluice))))
