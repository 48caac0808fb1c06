"""Time, memory, and how they grow."""
