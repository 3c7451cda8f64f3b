"""Experiments on Metropolis accept/reject methods, after Neal (2020), arXiv:2001.11950.

From Python: `sample` runs the chains of a distribution, `density` makes one from two functions,
`autocorrelation_time` is for anyone's draws, `load` reads results. docs/python.md explains them.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nrevu.api.density import density
    from nrevu.api.loading import load
    from nrevu.api.sampling import sample
    from nrevu.api.times import autocorrelation_time
    from nrevu.errors import Mistake

__all__ = ["Mistake", "autocorrelation_time", "density", "load", "sample"]
__version__ = "0.2.0"

# The modules of these names, loaded when they are first used: numba takes time to import.
MODULES = {"Mistake": "errors", "autocorrelation_time": "api.times", "density": "api.density"}
MODULES |= {"load": "api.loading", "sample": "api.sampling"}


def __getattr__(name: str) -> Any:
    """Return one of the public names."""
    if name not in MODULES:
        raise AttributeError(f"module 'nrevu' has no attribute '{name}': {', '.join(__all__)}")
    return getattr(importlib.import_module(f"nrevu.{MODULES[name]}"), name)


def __dir__() -> list[str]:
    """Return the public names, for completion."""
    return [*__all__, "__version__"]
