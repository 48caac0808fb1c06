"""The cost of a hypothesis (§ V)."""
