"""Lets `python -m nrevu` stand for the `nrevu` command."""

from nrevu.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
