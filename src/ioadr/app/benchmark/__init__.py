"""Output of a benchmark: progress while it runs, then files and one page."""
