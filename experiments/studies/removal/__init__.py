"""The study `study-removal`: what missing terms do to planning and to the EW score.

`study` has the units and does them, `report` shows what was found.
"""
