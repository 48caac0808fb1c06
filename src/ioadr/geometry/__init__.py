"""The geometry of rays: projection, depth and normals (§ IV)."""
