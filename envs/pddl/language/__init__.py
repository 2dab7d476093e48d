"""PDDL as text and as objects: trees that know where they stand, a domain's vocabulary, typed formulas.

Text is cut into trees (`sexpr`), checked by `envs.pddl.diagnosis`, and built (`domain`) into `Domain` and
`Problem` objects (`structure`), from which canonical text (`render`), English (`prose`) and single literals
(`terms`) are made.
"""
