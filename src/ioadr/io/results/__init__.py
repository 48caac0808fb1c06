"""Results as files: maps, point clouds, meshes, archives; writing and loading."""
