"""Blocksworld and Gripper, whatever their names: goals completed exactly, as their states are known."""
