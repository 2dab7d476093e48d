"""Models too large to be ground: their operators are drawn by joins, and the same scores are taken of them.

`problem` walks a PDDL problem without grounding, `joins` counts and draws its operators, and `sampled_score`
is the EW score of systems of which one state is seen at a time.
"""
