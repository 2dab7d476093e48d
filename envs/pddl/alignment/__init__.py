"""How many errors a domain has, whatever its predicates are called.

Conditions and effects are cut into comparable pieces (`clauses`); an answer set program (`program`) finds the
alignment of two domains' predicates with the fewest differences, and `errors_of` lists these.
"""
