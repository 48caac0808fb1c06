"""Results as files, and back: maps, point clouds, meshes, archives."""
