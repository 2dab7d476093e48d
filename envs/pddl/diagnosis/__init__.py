"""What is wrong with PDDL text: every fault at once, each with a code, a place and a way to fix it.

`diagnose` is the door. A domain is read section by section (`define`, `types`, `domain`), a problem against
its domain's vocabulary (`problem`); formulas and atoms are checked on their trees, and `findings` collects.
"""
