"""The commands of `nrevu`, a file each: `add` gives the parser its words, `execute` does it.

Slow modules (Hydra, numba, pandas, matplotlib) are imported by the function that needs them, so
that help is instant.
"""
