"""The Exploration Walk score: the share of walks of one system that the other executes, in both directions.

`score` is the door; `estimators` has the three ways to estimate the two shares, `uncertainty` the interval of
their harmonic mean, `several_tasks` the score of a domain over several tasks, and `rating` the order among
candidates.
"""
