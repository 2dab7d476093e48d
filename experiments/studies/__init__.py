"""The further jobs of `python -m experiments.run` and the studies behind published figures.

A study lists its units, does each in a worker, keeps a record of each, and makes tables and a figure from
these;
`study` has what all share, `asking` what those share that ask a language model.
"""
