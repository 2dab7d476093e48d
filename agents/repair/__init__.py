"""Repair of PDDL models by search: evidence from an environment, no language model.

`repair` is the loop: search the fewest edits, walk in world and edited model, and begin again. `model` is a
model in parts that can be edited, `lessons` what walks teach, `states` the model's states along them. A
`candidate` is a set of edits with the preconditions that `fit`; `constraints` and `best_first` look for the
best one, `goals` takes what the world says of its goal into account, and `parameters` edits predicates.
`text` makes edits in formulas, words and PDDL; the `ledger` counts what speaks for and against each literal.
"""
