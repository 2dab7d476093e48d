(define (problem dmz)
  (:domain netbreach)
  (:objects
    attacker proxy app sensor1 vault wiki ci - host
    http-rce sudo-bug app-rce snmp-crash - vuln
    svc-acct - credential
    secrets - file)
  (:init
    (access attacker root) (discovered attacker)
    (running attacker) (running proxy) (running app) (running sensor1) (running vault)
    (running wiki) (running ci)
    (link attacker proxy) (link proxy attacker) (link proxy app) (link app proxy) (link
    proxy sensor1) (link sensor1 proxy) (link app vault) (link vault app) (link proxy
    wiki) (link wiki proxy) (link wiki ci) (link ci wiki)
    (vulnerable proxy http-rce) (remote http-rce) (vulnerable app app-rce) (remote
    app-rce) (vulnerable sensor1 snmp-crash) (remote snmp-crash) (unstable snmp-crash)
    (monitored app) (sensor-for sensor1 app) (vulnerable app sudo-bug) (cached svc-acct
    app) (opens svc-acct vault) (stored secrets vault))
  (:goal (and
      (exfiltrated secrets))))
