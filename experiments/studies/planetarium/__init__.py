"""The study `planetarium`: how well tasks in words are translated into PDDL; and data sets of such tasks."""
