"""One module per command of `ioadr`, each with a click `command` of its name."""
