"""The solver: candidates, sweeps, and the steps after them (§ VI)."""
