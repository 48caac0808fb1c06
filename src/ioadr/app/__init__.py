"""Everything that talks to a person, a browser or a cluster."""
