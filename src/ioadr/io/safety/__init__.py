"""Safety of files and readers: atomic writing, leftovers, limits, doors, fingerprints."""
