"""Writers for other programs, one module for each; `ioadr.io.exporting` is their table."""
