"""Photographs with poses: their files, and their conversion to a light field."""
