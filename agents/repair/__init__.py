"""Repair of PDDL models by search: evidence from an environment, no language model.

`repair` is the loop: search the fewest edits, walk in world and edited model, and begin again; a `session` is
what it has seen and may spend. `examples` are training examples from walks, and the states of a model along
them. `model` is a model in parts that can be edited, and candidates: sets of edits with the preconditions
that fit. `constraints` and `search` look for the best candidate, `variants` are rules that literals cannot
say, and `goals` takes what the world says of its goal into account. `text` makes edits in formulas, words
and PDDL; the `ledger` counts what speaks for and against each literal; `proposals` are what a language model
goes on with.
"""
