"""What holds in every reachable state of a problem, derived from its operators alone.

Operators become steps over numbered literals (`transitions`), from which pairs that exclude each
other, groups of which exactly one holds (`groups`) and acyclic relations follow: the `invariants`.
"""
