"""The commands of `nrevu`, one file each: `add` defines the arguments, `execute` runs the command.

Functions import slow modules (Hydra, numba, pandas, matplotlib) themselves, so help is instant.
"""
