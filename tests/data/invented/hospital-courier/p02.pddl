(define (problem sterile-set)
  (:domain hospital-courier)
  (:objects
    tug1
    gate store scrub icu1 hall
    dr-lee catheter chart)
  (:init
    (robot tug1)
    (room gate) (room store) (room scrub) (room icu1) (room hall)
    (nurse dr-lee)
    (item catheter) (item chart)
    (corridor gate hall) (corridor hall gate) (corridor hall store) (corridor store hall)
    (corridor hall scrub) (corridor scrub hall) (corridor hall icu1) (corridor icu1 hall)
    (corridor store scrub) (corridor scrub store)
    (allowed tug1 gate) (allowed tug1 store) (allowed tug1 scrub) (allowed tug1 icu1)
    (allowed tug1 hall)
    (at tug1 gate) (at dr-lee icu1) (at catheter store) (at chart hall)
    (free tug1)
    (washroom scrub) (guard-desk gate) (isolation icu1) (sterile catheter))
  (:goal (and
      (received dr-lee catheter)
      (at chart store))))
