"""Talks to a person, a browser, a cluster."""
