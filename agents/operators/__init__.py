"""Operators learned from traces, without a language model: what was seen, lifted, and what it leaves open.

`exploration` makes traces in a world, `examples` are what they say of one action, as truth tables; `learner`
finds the operators of actions whose arguments are known, `symbolic` those of actions that are known by name
alone; `noisy`, `inertia` and `symmetries` are what the first concludes from flipped observations, hidden
ones and all states together. `lifted` are the operators found, and a domain and a problem made of them;
`matching` holds them against the traces. `guided` has a language model add conditions.
"""
