"""Traces: what was observed of an environment while operators were tried in it, in memory and in files.

`trace` holds them and finds those that contradict each other; `files` reads and writes them, checked line by
line.
"""
