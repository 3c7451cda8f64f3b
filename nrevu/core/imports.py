"""What the files of distributions, methods and rules for u import besides fields for settings.

`nrevu.distributions`, `nrevu.methods` and `nrevu.u` offer these names. They are loaded when they
are first used, because numba is slow to import.
"""

import importlib
from typing import Any

# The modules of nrevu/core with the compiled functions, by name.
ELEMENTARY = ("aligned_copy", "exp", "log", "log1p", "softplus", "tanh", "tanh_all", "wrap")
RANDOM = ("next_gamma", "next_normal", "next_uniform")
MODULES = dict.fromkeys(ELEMENTARY, "elementary") | dict.fromkeys(RANDOM, "rng")
LIBRARIES = ("c_address", "c_caller", "file_hash")
MODULES |= dict.fromkeys(LIBRARIES, "libraries")
MODULES |= {"OPTIONS": "binding", "njit": "target", "power": "contracts"}
NAMES = ("integer", "one_of", "real", "text", *MODULES)


def load(name: str) -> Any:
    """Return one of the names: the `__getattr__` of the modules that offer them."""
    if name not in MODULES:
        raise AttributeError(f"nrevu offers no '{name}': there are {', '.join(NAMES)}")
    return getattr(importlib.import_module(f"nrevu.core.{MODULES[name]}"), name)
