"""Where a ray goes (§ IV)."""
