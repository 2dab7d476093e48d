(define (problem crash-and-burn)
  (:domain netbreach)
  (:objects
    box mail nas tv kiosk - host
    smb-bug kern-bug nas-bug - vuln
    backup-key guest - credential
    payroll notes - file)
  (:init
    (access box root) (discovered box)
    (running box) (running mail) (running nas) (running tv) (running kiosk)
    (link box mail) (link mail box) (link mail nas) (link nas mail) (link box nas) (link
    nas box) (link box tv) (link tv box) (link tv kiosk) (link kiosk tv)
    (filtered box nas) (cached guest tv) (opens guest kiosk) (vulnerable tv kern-bug)
    (stored notes nas) (vulnerable mail smb-bug) (remote smb-bug) (vulnerable mail
    kern-bug) (vulnerable nas nas-bug) (remote nas-bug) (unstable nas-bug) (cached
    backup-key nas) (stored payroll mail) (encrypted payroll backup-key))
  (:goal (and
      (readable payroll)
      (not (running nas)))))
