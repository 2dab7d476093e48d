"""The study `study-removal`: what missing terms do to planning and to the EW score."""
