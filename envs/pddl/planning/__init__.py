"""Plans: Fast Downward as a child process, the outcomes of its calls, and the validation of plans.

`planner` writes a problem in the words that Fast Downward reads and names what became of the call; `validate`
says which step of a plan fails and why. `domain_specific` plans without search.
"""
