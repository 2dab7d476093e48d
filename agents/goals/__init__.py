"""Goal recognition: from a plan, seen whole or in part, to the goal of its agent.

In any domain: `candidates` are conjunctions and rankings of them, `recogniser` ranks without a planner by
relaxed plans and by `landmarks`, and `cost_difference` by a planner's costs.

In Mini-Minecraft: `task` is what an observer knows and which goals there may be, `parsing` finds the causal
links of a plan, and `ranking` orders goals by these and by relaxed plans, without a language model.
`extension` says what unsupported effects may have been for, and `asking` has a language model predict
goals.
"""
