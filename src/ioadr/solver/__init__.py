"""The solver: what to try, what to accept (§ VI)."""
