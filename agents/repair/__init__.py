"""Repair of PDDL models by search: evidence from an environment, no language model."""
