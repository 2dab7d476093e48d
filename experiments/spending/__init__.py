"""What a run may cost: bounds known before it, hard limits during it, and prices of tokens."""
