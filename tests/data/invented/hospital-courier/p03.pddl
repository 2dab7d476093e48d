(define (problem two-wings)
  (:domain hospital-courier)
  (:objects
    east-bot west-bot
    e1 e2 mid w1 w2 w3
    paul rita blood serum linen)
  (:init
    (robot east-bot) (robot west-bot)
    (room e1) (room e2) (room mid) (room w1) (room w2) (room w3)
    (nurse paul) (nurse rita)
    (item blood) (item serum) (item linen)
    (corridor e1 e2) (corridor e2 e1) (corridor e2 mid) (corridor mid e2) (corridor mid
    w1) (corridor w1 mid) (corridor w1 w2) (corridor w2 w1) (corridor w1 w3) (corridor w3
    w1)
    (allowed east-bot e1) (allowed east-bot e2) (allowed east-bot mid)
    (allowed west-bot mid) (allowed west-bot w1) (allowed west-bot w2) (allowed west-bot
    w3)
    (at east-bot e1) (at west-bot w2) (at paul w3) (at rita e2) (at blood e2) (at serum
    e1) (at linen w1)
    (free east-bot) (free west-bot)
    (washroom e1) (sterile serum))
  (:goal (and
      (received paul blood)
      (received rita linen)
      (at serum mid))))
