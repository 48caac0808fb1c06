"""Photographs with poses: what their files say, and how they become a light field."""
