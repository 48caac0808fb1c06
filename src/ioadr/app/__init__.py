"""User interfaces: command line, pages, explorer and batches."""
