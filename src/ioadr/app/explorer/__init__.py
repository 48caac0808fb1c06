"""The explorer: a local web app that shows why a pixel has its depth."""
