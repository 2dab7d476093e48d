"""The job `repair` on one model, and the study `study-repair` on many broken ones."""
