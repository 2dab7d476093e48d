"""Goal recognition: what an agent is after, from a plan of it that was seen whole or in part.

`task` is what an observer knows and which goals there may be, `parsing` finds the causal links of a plan,
`relaxed` how far goals are from a state, and `ranking` orders goals by both without a language model.
`extension` says what unsupported effects may have been for, and `asking` has a language model predict.
"""
