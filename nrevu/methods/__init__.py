"""The methods, one file for each kind of update; and everything that the file of a method imports.

A method is a class with the parts of `core.contracts.Method`. Users' files have the same form, and
import from here alone: fields for settings, random numbers, elementary functions.
"""

from nrevu.core.imports import NAMES
from nrevu.core.imports import load as __getattr__  # noqa: F401
from nrevu.fields import integer, one_of, real, text  # noqa: F401

__all__ = [*NAMES]
