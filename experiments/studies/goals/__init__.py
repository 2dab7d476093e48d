"""The study `goals`: which goal has an agent in Mini-Minecraft, seen from a plan of it?

`tasks` are what is guessed at, `study` makes the tasks and guesses their goals, `report` shows what was
found.
"""
