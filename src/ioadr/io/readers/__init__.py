"""Readers, one module per light field format; `io/registry.py` finds them."""
