"""The study `goals`: what is an agent in Mini-Minecraft after, seen from a plan of its?

`tasks` are what is guessed at, `units` make and guess them, `study` does all of them, `report` shows what was
found.
"""
