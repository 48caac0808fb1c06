"""Single files as arrays: images and NumPy archives."""
