"""The further jobs of `python -m experiments.run` and the studies behind published figures.

A study is one file that reads from top to bottom, or a folder of a few: its flags and `main`; its units, the
plain data that results depend on; `work`, which makes a record of one in a worker; and what the records come
to, tables and a figure. `study` has what all of them share. Other jobs (`table2`, `tic`, …) are the main job
with other defaults.
"""
