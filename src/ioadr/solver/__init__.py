"""What to try, what to accept (§ VI)."""
