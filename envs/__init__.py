"""Environments behind Gymnasium, and the PDDL kernel under them."""
