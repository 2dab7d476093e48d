"""The study `planetarium`: how well tasks in words are translated into PDDL; and data sets of such tasks.

`study` asks a language model, `predictions` judges answers that are there already, `data` makes pairs.
"""
