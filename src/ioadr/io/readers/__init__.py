"""One module per light field format; `io/registry.py` finds what it needs here."""
