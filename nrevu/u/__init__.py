"""The rules for u, one file each; and everything that the file of a rule imports.

A rule is a class with the parts of `core.contracts.Rule`: how v moves before a decision, and after
an acceptance. Users' files have the same form, and import from here alone.
"""

from nrevu.core.imports import NAMES
from nrevu.core.imports import load as __getattr__  # noqa: F401
from nrevu.fields import integer, one_of, real, text  # noqa: F401

__all__ = [*NAMES]
