"""Opens data files: one file per format, registered in one table."""
