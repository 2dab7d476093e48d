"""The study `operators`: how many of Mini-Minecraft's operators do demonstrations recover?

`demonstrations` are what is learned from, `accuracy` compares what was learned with the truth, `study` learns
with every method, `report` shows what was found.
"""
