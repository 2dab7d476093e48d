(define (problem red-team-2)
  (:domain netbreach)
  (:objects
    c2 vpn web1 web2 dc ids files fw hr print - host
    v-vpn v-web v-lpe v-ids v-dc v-print - vuln
    da-hash hr-key fw-pass web-pass - credential
    contracts salaries plans - file)
  (:init
    (access c2 root) (discovered c2)
    (running c2) (running vpn) (running web1) (running web2) (running dc) (running ids)
    (running files) (running fw) (running hr) (running print)
    (link c2 vpn) (link vpn c2) (link c2 web1) (link web1 c2) (link vpn web1) (link web1
    vpn) (link web1 web2) (link web2 web1) (link web1 ids) (link ids web1) (link web2 dc)
    (link dc web2) (link dc files) (link files dc) (link web2 fw) (link fw web2) (link fw
    files) (link files fw) (link dc hr) (link hr dc) (link web1 print) (link print web1)
    (vulnerable web1 v-web) (remote v-web) (vulnerable vpn v-vpn) (vulnerable web1 v-lpe)
    (vulnerable web2 v-lpe) (cached web-pass web1) (opens web-pass web2)
    (vulnerable ids v-ids) (remote v-ids) (unstable v-ids) (monitored files) (sensor-for
    ids files) (cached fw-pass web2) (admin-cred fw-pass) (opens fw-pass fw)
    (firewall-admin fw dc)
    (filtered web2 dc) (vulnerable dc v-dc) (remote v-dc) (unstable v-dc) (cached da-hash
    fw) (admin-cred da-hash) (opens da-hash files) (opens da-hash hr) (cached hr-key dc)
    (vulnerable print v-print) (remote v-print)
    (stored contracts files) (stored salaries hr) (encrypted contracts hr-key) (stored
    plans dc))
  (:goal (and
      (readable contracts))))
