"""`python -m ioadr` is the command `ioadr`."""

from ioadr.app.start import main

if __name__ == "__main__":
    main()
