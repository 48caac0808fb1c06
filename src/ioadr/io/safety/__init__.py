"""What keeps files whole and readers safe: atomic writing, leftovers, limits, doors, fingerprints."""
