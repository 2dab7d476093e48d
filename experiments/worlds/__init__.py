"""`python -m experiments.worlds`: list, show, check, make, describe and paraphrase worlds."""
