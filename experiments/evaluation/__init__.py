"""What a candidate is worth: checked, walked beside its world, planned in, executed, and judged."""
