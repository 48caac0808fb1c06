"""Evaluation: the only room that knows the ground truth (§ VII)."""
