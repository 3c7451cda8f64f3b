"""Lets `python -m nrevu` stand for the `nrevu` command."""

from nrevu.commands.main import main

if __name__ == "__main__":
    raise SystemExit(main())
