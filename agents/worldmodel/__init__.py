"""World models written action by action, checked and corrected in words."""
