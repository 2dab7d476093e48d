"""Where world and model disagree: found, cut to the shortest, explained, and put into words.

`disagreement` finds the first walk that only one side executes, `shrink` shortens it, `explanations` lists
the single changes of the model that would explain it, and `feedback` renders every failure for people and
models.
"""
