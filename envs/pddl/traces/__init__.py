"""Traces: what was observed of an environment while operators were tried in it, in memory and in files.

`trace` holds them, `files` and `reader` read and write them checked line by line, and `check` finds traces
that contradict each other.
"""
