"""PDDL as text and as objects: trees that know where they stand, a domain's vocabulary, typed formulas.

Text is cut into trees (`sexpr`), checked by `envs.pddl.diagnosis`, and built into `Domain` and `Problem`
objects (`domain`), from which canonical text (`render`), English (`prose`) and single literals (`terms`) are
made.
"""
