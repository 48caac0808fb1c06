"""One geometry for all views of a light field: maps, surfaces and new views."""
