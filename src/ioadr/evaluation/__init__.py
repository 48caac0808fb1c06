"""Evaluation: the only room that uses ground truth (§ VII)."""
