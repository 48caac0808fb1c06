"""How long it takes, how much memory, and how that grows."""
