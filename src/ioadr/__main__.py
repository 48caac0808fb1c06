"""`python -m ioadr` is the command `ioadr`."""

from ioadr.app.cli import main

if __name__ == "__main__":
    main()
