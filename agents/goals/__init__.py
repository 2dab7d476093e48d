"""Goal inference: what an agent is after, from a plan of it that was seen whole or in part."""
