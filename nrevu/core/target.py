"""The processor that kernels are compiled for: a fixed one, for the same bits everywhere.

On x86-64 with AVX2 and FMA that is `x86-64-v3`, whatever else the processor can do: the width of
the vectors decides in which order sums are added. Elsewhere, and where NUMBA_CPU_NAME is set, numba
chooses. Import `njit` from this module: numba fixes its target when it is first used.
"""

import hashlib
import os
import platform
from typing import Any

import llvmlite.binding as llvm
import numba
from numba import njit
from numba.core.registry import cpu_target

__all__ = ["FIXED", "TARGET", "describe_target", "is_fixed", "njit", "target_hash", "target_note"]

config: Any = numba.config
FIXED = "x86-64-v3"
FEATURES = ("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe")  # of v3
BY_USER = ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES")


def can_run_fixed() -> bool:
    """Tell whether this machine executes the instructions of the fixed target."""
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return False
    features = llvm.get_host_cpu_features()
    return all(features.get(name) for name in FEATURES)


def set_target() -> tuple[str, str, str]:
    """Make numba compile for the fixed target; return its triple, processor and features.

    If another library has used numba before, numba keeps the target that it has, and this
    machine's processor is returned.
    """
    before = config.CPU_NAME, config.CPU_FEATURES
    if can_run_fixed() and not is_set_by_user():
        config.CPU_NAME, config.CPU_FEATURES = FIXED, ""
        if codegen().magic_tuple()[2] != "":  # the features of an earlier target
            config.CPU_NAME, config.CPU_FEATURES = before
    return codegen().magic_tuple()


def is_set_by_user() -> bool:
    """Tell whether the environment sets the target of numba."""
    return any(os.environ.get(name) for name in BY_USER)


def codegen():
    """Return numba's code generator for this machine."""
    return cpu_target.target_context.codegen()


COMPILED_FOR = set_target()


def is_fixed() -> bool:
    """Tell whether kernels of this process give the same bits as on other machines."""
    return COMPILED_FOR[1:] == (FIXED, "")


def target_hash() -> str:
    """Return 8 hex digits of the target of this process's kernels."""
    return hashlib.sha256(repr(COMPILED_FOR).encode()).hexdigest()[:8]


def target_name() -> str:
    """Return the target of this process's kernels, as text."""
    _, name, features = COMPILED_FOR
    if features == "" or name == llvm.get_host_cpu_name():
        return name
    if features == numba.core.codegen.get_host_cpu_features():
        return f"{name} with the features of {llvm.get_host_cpu_name()}"
    return f"{name} with other features ({target_hash()})"


TARGET = target_name()


def describe_target() -> dict[str, str]:
    """Return the target, and why it is not the fixed one, if so, as part of a result."""
    return {"target": TARGET, "target_note": target_note()}


def target_note() -> str:
    """Return why kernels are not compiled for the fixed target, or nothing if they are."""
    if is_fixed():
        return ""
    if is_set_by_user():
        why = "NUMBA_CPU_NAME or NUMBA_CPU_FEATURES is set: unset them to have it"
    elif can_run_fixed():
        why = "another library had used numba before nrevu was imported"
    else:
        why = f"this processor cannot run code for {FIXED}"
    return f"compiled for {TARGET}, not for {FIXED} ({why}): bits may differ from the reference"
