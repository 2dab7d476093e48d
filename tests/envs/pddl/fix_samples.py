"""Texts for the fixes that no other sample meets."""

from pddl_faults import domain_with, effect, fact, other_fact, precondition, problem_with, replaced
from pddl_texts import GRIPPERS, GRIPPERS_PROBLEM

SAMPLES: dict[str, tuple[str, str]] = {}
