(DEFINE (PROBLEM shaft-and-bolt)
  (:DOMAIN gearbox-line)
  (:OBJECTS
    st-a st-b st-c - station
    pallet empty - carrier
    armx army - arm
    bolt rivet - small-part
    shaft - large-part)
  (:INIT
    (current loading)
    (next-station st-a st-b) (next-station st-b st-c) (next-station st-c st-a)
    (carrier-at pallet st-a) (carrier-at empty st-c)
    (mounted-arm armx st-a) (idle armx) (mounted-arm army st-b) (idle army)
    (in-bin bolt st-b) (belongs bolt pallet) (in-bin rivet st-a) (belongs rivet empty)
    (in-bin shaft st-a) (belongs shaft pallet)
    (strong armx) (welder st-a) (screwdriver st-b) (camera st-b))
  (:GOAL (and
      (approved pallet))))
