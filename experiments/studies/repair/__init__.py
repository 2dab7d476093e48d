"""The job `repair` on one model, and the study `study-repair` on many broken ones.

`cases` are models to repair. `job` repairs one of them, and `judging` says how good it is; `study` repairs
many, in and for the `tasks` of their worlds, and `report` shows what was found.
"""
