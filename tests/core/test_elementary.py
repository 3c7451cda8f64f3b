"""The elementary functions: right to a few units in the last place, and at the ends."""

import math

import numpy as np
import pytest

from nrevu.core import elementary
from nrevu.core.binding import OPTIONS
from nrevu.core.target import njit


def over(function):
    """Return the function over an array, compiled as the kernels are."""

    @njit(**OPTIONS)
    def loop(x, out):
        for i in range(x.size):
            out[i] = function(x[i])

    def apply(x):
        out = np.empty(x.size)
        loop(x, out)
        return out

    return apply


@njit
def softplus(x):
    return elementary.softplus(x)[0]


@njit
def logistic(x):
    return elementary.softplus(x)[1]


# The reference in extended precision, where numpy has it: a double would be as wrong as ours.
@pytest.mark.parametrize(
    "function, reference, low, high, relative, absolute",
    [
        (elementary.exp, np.exp, -700, 700, 4e-16, 0),
        (elementary.exp, np.exp, -1, 1, 3e-16, 0),
        (elementary.log1p, np.log1p, 0, 1, 5e-16, 0),
        (elementary.log, np.log, 1e-300, 1e-3, 4e-16, 0),
        (elementary.log, np.log, 0.5, 2, 4e-16, 0),
        (elementary.log, np.log, 0, 1e300, 4e-16, 0),
        (softplus, lambda x: np.log1p(np.exp(x)), -30, 30, 6e-16, 0),
        (logistic, lambda x: 1 / (1 + np.exp(-x)), -700, 30, 6e-16, 0),
        (elementary.tanh, np.tanh, -25, 25, 0, 4e-16),
    ],
)
def test_they_are_right(function, reference, low, high, relative, absolute):
    x = np.random.default_rng(1).uniform(low, high, 20_001)  # odd, so that a scalar end is left
    exact = reference(x.astype(np.longdouble))
    error = np.abs(over(function)(x) - exact)
    assert np.max(error - relative * np.abs(exact)) <= absolute


@pytest.mark.parametrize("size", [0, 1, 7, 20_001])
def test_the_tangents_of_a_whole_array(size):
    x = np.random.default_rng(2).uniform(-25, 25, size)
    found, space = x.copy(), np.empty(size)
    elementary.tanh_all(found, space)
    assert np.all(np.abs(found - np.tanh(x.astype(np.longdouble))) <= 4e-16)
    ends = np.array([math.nan, math.inf, -math.inf, 0.0, 1e300, -1e300])
    elementary.tanh_all(ends, np.empty(6))
    assert math.isnan(ends[0]) and ends[1:].tolist() == [1, -1, 0, 1, -1]


def test_a_copy_begins_with_a_cache_line():
    for shape in ((5,), (3, 7), (1000,)):
        for offset in range(3):
            array = np.arange(np.prod(shape) + offset)[offset:].reshape(shape) / 2
            copy = elementary.aligned_copy(array)
            assert copy.ctypes.data % 64 == 0 and copy.flags.c_contiguous
            assert np.array_equal(copy, array) and copy.dtype == array.dtype
            assert not np.shares_memory(copy, array)


def test_exp_at_the_ends():
    x = np.array([0.0, -0.0, 709.6, 1e9, math.inf, -709.5, -1e9, -math.inf, math.nan] * 3)
    found = over(elementary.exp)(x)[:9].tolist()
    assert found[:8] == [1, 1, math.inf, math.inf, math.inf, 0, 0, 0] and math.isnan(found[8])


def test_nothing_overflows():
    x = np.array([-1e6, -800.0, 0.0, 800.0, 1e6])
    assert over(softplus)(x).tolist() == pytest.approx([0, 0, math.log(2), 800, 1e6])
    assert over(logistic)(x).tolist() == [0, 0, 0.5, 1, 1]
    assert over(elementary.tanh)(x).tolist() == [-1, -1, 0, 1, 1]


def test_a_loop_of_them_runs_on_vectors():
    """Else they have no reason to be: a call to the library is as exact."""
    from llvmlite import binding

    if not any(binding.get_host_cpu_features().get(name) for name in ("avx2", "neon")):
        pytest.skip("this processor has no vectors of doubles worth the name")

    @njit(**OPTIONS)
    def loop(x, out):
        for i in range(x.size):
            out[i] = elementary.tanh(x[i])

    loop(np.zeros(8), np.zeros(8))
    code = loop.inspect_llvm(loop.signatures[0])
    assert "fdiv contract nsz <" in code or "fdiv nsz contract <" in code
