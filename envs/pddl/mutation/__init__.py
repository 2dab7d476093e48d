"""Domains that are wrong on purpose: mutants, and faults of literals, predicates, actions and types."""
