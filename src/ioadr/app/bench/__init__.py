"""Benchmarks of time and memory, and their growth with image and grid size."""
