"""What is wrong with PDDL text: every fault at once, each with a code, a place and a way to fix it.

`diagnose` is the door. One checker reads one text, and is built up by inheritance: `findings` collects
issues, `terms` checks names, typed lists and arguments, `requirements` flags, `formulas` conditions and
effects, `define` cuts the text into sections, and `domain` or `problem` checks these in order.
"""
