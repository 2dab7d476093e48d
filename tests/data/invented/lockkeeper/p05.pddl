(define (problem busy-morning)
  (:domain canal-locks)
  (:objects
    ned ola - keeper
    east-lock west-lock spur-lock - lock
    e1 e2 w1 w2 s1 s2 - gate
    high low - level
    long-pound spur-pound - pound
    east-wharf west-wharf - wharf
    mole stoat - barge
    lark - cruiser
    sand lime hay - cargo)
  (:init
    (opposite high low) (opposite low high)
    (gate-of e1 east-lock) (sill e1 high) (leads e1 long-pound)
    (gate-of e2 east-lock) (sill e2 low) (leads e2 east-wharf)
    (water east-lock high)
    (gate-of w1 west-lock) (sill w1 high) (leads w1 long-pound)
    (gate-of w2 west-lock) (sill w2 low) (leads w2 west-wharf)
    (water west-lock low) (vacant west-lock)
    (gate-of s1 spur-lock) (sill s1 high) (leads s1 spur-pound)
    (gate-of s2 spur-lock) (sill s2 low) (leads s2 long-pound)
    (water spur-lock high) (vacant spur-lock)
    (sealed east-lock) (in-chamber mole east-lock)
    (open w2) (open s1)
    (towpath east-lock west-lock) (towpath west-lock east-lock)
    (towpath west-lock spur-lock) (towpath spur-lock west-lock)
    (tends ned east-lock) (tends ola west-lock)
    (stowed sand mole) (moored stoat west-wharf) (moored lark spur-pound)
    (waiting hay west-wharf) (waiting lime east-wharf))
  (:goal
    (and (waiting sand east-wharf)
         (moored lark long-pound)
         (stowed hay stoat)
         (moored stoat long-pound)
         (stowed lime mole))))
