"""Models too large to be ground: their operators are drawn by joins, and the same scores are taken of them.

`relations` counts and draws the operators of an action without listing them, `sampled` has the systems of
which one state is seen at a time, and `sampled_score` takes their EW score, within bounds.
"""
