"""Worlds in words: phrases of every name, and the writers that say tasks, states and domains with them."""
