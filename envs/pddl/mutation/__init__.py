"""Domains that are wrong on purpose: one mutation, several faults, or parameters too many."""
