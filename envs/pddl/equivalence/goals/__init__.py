"""Goals with all that they imply: what comparing two problems needs beyond their graphs.

A goal is a set of literals (`goal`). What follows from it in every reachable state is derived from two sides:
invariants say what must hold (`consequences`), states that were reached say what need not (`explore`),
and a planner is asked for more of them; `derive` puts them together.
"""
