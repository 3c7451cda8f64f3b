"""The distributions, one file each; and everything that the file of a distribution imports.

Users' files import from here alone: fields for settings, random numbers for `gibbs`, elementary
functions with the same bits on all machines, and `njit` with its OPTIONS for helper functions.
"""

from nrevu.core.imports import NAMES
from nrevu.core.imports import load as __getattr__  # noqa: F401
from nrevu.fields import integer, one_of, real, text  # noqa: F401

__all__ = [*NAMES]
