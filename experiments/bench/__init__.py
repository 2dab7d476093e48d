"""What `python -m experiments.bench` measures, one file a subject.

A subject's function yields figures, each with its target (`measure`). What has to be timed in a process of
its own is a program: `first_reset`, `open_ledger`.
"""
