(define (problem segmented-plant)
  (:domain netbreach)
  (:objects
    laptop jump fw-mgr plc hmi historian badge-srv camera - host
    rdp-hole win-lpe ssh-hole - vuln
    ops-admin eng - credential
    recipe setpoints trends - file)
  (:init
    (access laptop root) (discovered laptop)
    (running laptop) (running jump) (running fw-mgr) (running plc) (running hmi) (running
    historian) (running badge-srv) (running camera)
    (link jump historian) (link historian jump) (link laptop camera) (link camera laptop)
    (link camera badge-srv) (link badge-srv camera) (link laptop jump) (link jump laptop)
    (link jump fw-mgr) (link fw-mgr jump) (link jump plc) (link plc jump) (link jump hmi)
    (link hmi jump) (link hmi plc) (link plc hmi)
    (stored trends historian) (stored setpoints plc) (vulnerable camera rdp-hole)
    (monitored historian) (filtered jump plc) (filtered jump hmi) (firewall-admin fw-mgr
    hmi) (filtered hmi plc) (vulnerable jump rdp-hole) (remote rdp-hole) (vulnerable jump
    win-lpe) (cached ops-admin jump) (admin-cred ops-admin) (opens ops-admin fw-mgr)
    (cached eng fw-mgr) (opens eng hmi) (stored recipe hmi) (encrypted recipe eng)
    (vulnerable fw-mgr ssh-hole))
  (:goal (and
      (readable recipe))))
