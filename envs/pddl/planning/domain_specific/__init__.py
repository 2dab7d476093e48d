"""Plans in polynomial time for Blocksworld and Gripper, whatever their predicates are called."""
