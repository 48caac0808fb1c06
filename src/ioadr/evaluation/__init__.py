"""The only room that knows the truth (§ VII)."""
