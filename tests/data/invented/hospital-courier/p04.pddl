(define (problem night-shift)
  (:domain hospital-courier)
  (:objects
    r1 r2
    dock lab corridor-a corridor-b laundry or1 or2 security
    n-kim n-oz kit1 kit2 trash scan1)
  (:init
    (robot r1) (robot r2)
    (room dock) (room lab) (room corridor-a) (room corridor-b) (room laundry) (room or1)
    (room or2) (room security)
    (nurse n-kim) (nurse n-oz)
    (item kit1) (item kit2) (item trash) (item scan1)
    (corridor dock corridor-a) (corridor corridor-a dock) (corridor corridor-a lab)
    (corridor lab corridor-a) (corridor corridor-a corridor-b) (corridor corridor-b
    corridor-a) (corridor corridor-b laundry) (corridor laundry corridor-b) (corridor
    corridor-b or1) (corridor or1 corridor-b) (corridor corridor-b or2) (corridor or2
    corridor-b) (corridor corridor-b security) (corridor security corridor-b)
    (allowed r1 dock) (allowed r1 corridor-a) (allowed r1 corridor-b) (allowed r1 laundry)
    (allowed r1 security) (allowed r1 or1) (allowed r1 or2)
    (allowed r2 lab) (allowed r2 corridor-a) (allowed r2 dock)
    (at r1 dock) (at r2 lab) (at n-kim or1) (at n-oz or2) (at kit1 lab) (at kit2 lab) (at
    trash or1) (at scan1 dock)
    (free r1) (free r2)
    (washroom laundry) (washroom lab) (guard-desk security) (isolation or1) (sterile kit1)
    (sterile kit2))
  (:goal (and
      (received n-kim kit1)
      (received n-oz kit2)
      (at trash dock))))
