"""What `python -m experiments.bench` measures, one file a subject."""
