"""`python -m experiments.worlds`: list, show, check, make, describe and paraphrase worlds.

One file a command, with its flags; `command` does what all of them share. `files` says which files of a
folder are read, and `findings` and `rules` what `check` finds in them.
"""
