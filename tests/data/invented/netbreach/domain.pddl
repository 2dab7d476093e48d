; Attack-path planning for authorised penetration tests.
(define (domain netbreach)
  (:requirements :strips :typing :negative-preconditions
                 :disjunctive-preconditions :existential-preconditions
                 :conditional-effects)
  (:types host vuln credential file level)
  (:constants user root - level)
  (:predicates
    (link ?a ?b - host)               ; static routing
    (filtered ?a ?b - host)           ; dropped by a firewall
    (firewall-admin ?h ?dst - host)   ; ?h manages rules in front of ?dst
    (discovered ?h - host)
    (running ?h - host)
    (monitored ?h - host)
    (sensor-for ?s ?h - host)
    (vulnerable ?h - host ?v - vuln)
    (remote ?v - vuln)
    (unstable ?v - vuln)
    (weaponised ?v - vuln)
    (access ?h - host ?l - level)
    (cached ?c - credential ?h - host)
    (opens ?c - credential ?h - host)
    (admin-cred ?c - credential)
    (owned ?c - credential)
    (stored ?f - file ?h - host)
    (encrypted ?f - file ?c - credential)
    (exfiltrated ?f - file)
    (readable ?f - file))

  (:action scan
    :parameters (?src ?dst - host)
    :precondition (and (or (access ?src user) (access ?src root))
                       (link ?src ?dst) (not (filtered ?src ?dst))
                       (not (discovered ?dst)))
    :effect (discovered ?dst))

  (:action develop-exploit
    :parameters (?v - vuln)
    :precondition (and (not (weaponised ?v))
                       (exists (?h - host)
                         (and (discovered ?h) (vulnerable ?h ?v))))
    :effect (weaponised ?v))

  (:action exploit-remote
    :parameters (?src ?dst - host ?v - vuln)
    :precondition (and (or (access ?src user) (access ?src root))
                       (link ?src ?dst) (not (filtered ?src ?dst))
                       (discovered ?dst) (running ?dst) (not (monitored ?dst))
                       (vulnerable ?dst ?v) (remote ?v) (weaponised ?v)
                       (not (unstable ?v)))
    :effect (access ?dst user))

  ; gives root at once but the machine goes down afterwards
  (:action exploit-unstable
    :parameters (?src ?dst - host ?v - vuln)
    :precondition (and (or (access ?src user) (access ?src root))
                       (link ?src ?dst) (not (filtered ?src ?dst))
                       (discovered ?dst) (running ?dst) (not (monitored ?dst))
                       (vulnerable ?dst ?v) (remote ?v) (weaponised ?v)
                       (unstable ?v))
    :effect (and (access ?dst root) (not (running ?dst))))

  (:action escalate
    :parameters (?h - host ?v - vuln)
    :precondition (and (access ?h user) (running ?h) (not (access ?h root))
                       (vulnerable ?h ?v) (not (remote ?v)) (weaponised ?v))
    :effect (access ?h root))

  (:action dump-credential
    :parameters (?h - host ?c - credential)
    :precondition (and (access ?h root) (cached ?c ?h))
    :effect (owned ?c))

  (:action login
    :parameters (?src ?dst - host ?c - credential)
    :precondition (and (or (access ?src user) (access ?src root))
                       (link ?src ?dst) (not (filtered ?src ?dst))
                       (discovered ?dst) (running ?dst)
                       (owned ?c) (opens ?c ?dst))
    :effect (and (access ?dst user)
                 (when (admin-cred ?c) (access ?dst root))))

  (:action open-firewall
    :parameters (?adm ?src ?dst - host)
    :precondition (and (access ?adm root) (running ?adm)
                       (firewall-admin ?adm ?dst) (filtered ?src ?dst))
    :effect (not (filtered ?src ?dst)))

  (:action blind-sensor
    :parameters (?s ?h - host)
    :precondition (and (access ?s root) (sensor-for ?s ?h) (monitored ?h))
    :effect (not (monitored ?h)))

  (:action exfiltrate
    :parameters (?h - host ?f - file)
    :precondition (and (or (access ?h user) (access ?h root))
                       (running ?h) (not (monitored ?h)) (stored ?f ?h))
    :effect (exfiltrated ?f))

  (:action decrypt
    :parameters (?f - file ?c - credential)
    :precondition (and (exfiltrated ?f) (encrypted ?f ?c) (owned ?c))
    :effect (readable ?f))
)
