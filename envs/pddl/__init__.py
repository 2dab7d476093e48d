"""The PDDL kernel: read, diagnose, print, ground, simulate, plan and validate."""
