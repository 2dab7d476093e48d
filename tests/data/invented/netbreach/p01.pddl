(define (problem small-office)
  (:domain netbreach)
  (:objects
    kali web db printer - host
    cve-1 cve-2 - vuln
    dbpass - credential
    customers logs - file)
  (:init
    (access kali root) (discovered kali)
    (running kali) (running web) (running db) (running printer)
    (link kali web) (link web kali) (link web db) (link db web) (link web printer) (link
    printer web)
    (stored logs printer) (vulnerable web cve-1) (remote cve-1) (vulnerable web cve-2)
    (cached dbpass web) (opens dbpass db) (stored customers db))
  (:goal (and
      (exfiltrated customers))))
