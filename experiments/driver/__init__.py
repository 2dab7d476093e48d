"""From a plan to finished units: flags become episodes, models answer, work runs in parallel and ends well.

`plan` says which episodes there are and who answers (a `run_plan`), `preflight` what must be there before the
first call, and `job` does the episodes and writes each one down.
"""
