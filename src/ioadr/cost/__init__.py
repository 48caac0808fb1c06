"""How bad a hypothesis is (§ V)."""
