"""Elementary functions that vectorise: a loop over an array computes four or more at a time.

The C library's exp, log and tanh are calls, which keep a loop scalar, five times slower, and whose
last bit differs between versions of the library. These are branch-free polynomials,
accurate to about 2e-16 relative (see the tests). They are compiled with their own flags, so that a
caller that may reorder sums cannot change their rounding.
"""

from typing import Any

import numpy as np

from nrevu.core.target import njit

# Inlined: a function with such flags that is not inlined is compiled twice, alone and in its
# kernel, and the two may round differently. Not cached, for the same reason.
OPTIONS: dict[str, Any] = {
    "error_model": "numpy",
    "fastmath": {"contract", "nsz"},
    "forceinline": True,
}

LOG2_HIGH, LOG2_LOW = 0.6931471803691238, 1.9082149292705877e-10  # log 2 in two parts


@njit(**OPTIONS)
def two_to(n):
    """Return 2^n for integer n (float64) from -1022 to 1023; 0 for -1023, infinity for 1024."""
    return np.int64((np.int64(np.int32(n)) + np.int64(1023)) << np.int64(52)).view(np.float64)


@njit(**OPTIONS)
def exp(x):
    """Return e^x; 0 below -708.8, infinity above 709.4, nan for nan."""
    z = 709.7 if x > 709.7 else x  # nan stays nan
    z = -709.0 if z < -709.0 else z
    n, r = reduced(z)
    return exp_near_0(r) * two_to(n)


@njit(**OPTIONS)
def reduced(z):
    """Return an integer n and r with |r| <= log(2) / 2, such that z = n log 2 + r."""
    n = np.floor(z * 1.4426950408889634 + 0.5)
    return n, (z - n * LOG2_HIGH) - n * LOG2_LOW


@njit(**OPTIONS)
def exp_near_0(r):
    """Return e^r for |r| <= log(2) / 2."""
    r2 = r * r
    r4 = r2 * r2
    # 1 + r and, for the rest over r^2, the polynomial through its values at Chebyshev's nodes:
    # within 2e-17. In pairs, which makes shorter chains of dependence than Horner's scheme.
    low = (1.0 + r) + r2 * (0.5000000000000001 + r * 0.16666666666666669)
    middle = 0.04166666666662413 + r * 0.008333333333330062
    middle += r2 * (0.0013888888917213717 + r * 0.00019841269863053618)
    high = 2.4801521295954376e-05 + r * 2.7557268459997064e-06
    high += r2 * (2.7620088445409746e-07 + r * 2.510038549551032e-08)
    return low + r4 * (middle + r4 * high)


@njit(**OPTIONS)
def log1p(s):
    """Return log(1 + s) for s from 0 to 1."""
    return log_ratio(s / (2.0 + s))


@njit(**OPTIONS)
def log(x):
    """Return the natural logarithm: -infinity at 0, nan below and for nan."""
    scaled = x * 2.0**54 if x < 2.0**-1022 else x  # a subnormal number made a normal one
    bits = np.float64(scaled).view(np.int64)
    # x = 2^n m with m from sqrt(1/2) to sqrt(2); 0x3FE6... are the bits of sqrt(1/2).
    n = (bits - np.int64(0x3FE6A09E667F3BCD)) >> np.int64(52)
    m = np.int64(bits - (n << np.int64(52))).view(np.float64)
    n = np.float64(n) - (54.0 if x < 2.0**-1022 else 0.0)  # type: ignore[assignment]  # numba infers
    value = n * LOG2_HIGH + (log_ratio((m - 1.0) / (m + 1.0)) + n * LOG2_LOW)
    value = -np.inf if x == 0.0 else value
    return value if 0.0 <= x < np.inf else (x if x > 0.0 else np.nan)


@njit(**OPTIONS)
def log_ratio(z):
    """Return log((1 + z) / (1 - z)) for |z| up to 1/3."""
    q = z * z
    q2 = q * q
    q4 = q2 * q2
    a = (1 / 3 + q * (1 / 5)) + q2 * (1 / 7 + q * (1 / 9))
    b = (1 / 11 + q * (1 / 13)) + q2 * (1 / 15 + q * (1 / 17))
    c = (1 / 19 + q * (1 / 21)) + q2 * (1 / 23 + q * (1 / 25))
    d = (1 / 27 + q * (1 / 29)) + q2 * (1 / 31 + q * (1 / 33))
    return 2.0 * (z + z * q * (a + q4 * (b + q4 * (c + q4 * d))))


@njit(**OPTIONS)
def softplus(x):
    """Return log(1 + e^x) and its derivative 1 / (1 + e^-x), without overflow."""
    small = exp(-abs(x))
    over = 1.0 / (1.0 + small)
    return log1p(small) + max(x, 0.0), over if x >= 0 else small * over


@njit(**OPTIONS)
def tanh(x):
    """Return the hyperbolic tangent within 4e-16, absolute: near 0 some digits cancel."""
    return 1.0 - 2.0 / (1.0 + exp(2.0 * x))


@njit(**OPTIONS)
def tanh_all(values, space):
    """Replace an array's numbers by their hyperbolic tangents; `space` has the same length.

    As `tanh`, in loops short enough for their constants to stay in the processor's registers.
    """
    for i in range(values.size):
        z = 2.0 * values[i]
        z = 40.0 if z > 40.0 else z  # from where on tanh is 1
        z = -40.0 if z < -40.0 else z
        space[i], values[i] = reduced(z)
    for i in range(values.size):
        values[i] = exp_near_0(values[i]) * two_to(space[i])
    for i in range(values.size):
        values[i] = 1.0 - 2.0 / (1.0 + values[i])


@njit(**OPTIONS)
def wrap(v):
    """Return v translated by a multiple of 2 into [-1,1]; both ends stay as they are."""
    return v - 2.0 * np.rint(0.5 * v)


def round_to_32_bits(values: np.ndarray) -> np.ndarray:
    """Return the numbers rounded to 32 significant bits.

    numpy's random numbers use some logarithms of the C library, whose last bit differs between
    versions. The starts of chains must not differ.
    """
    fraction, exponent = np.frexp(values)
    return np.ldexp(np.rint(fraction * 2.0**32) * 2.0**-32, exponent)


def aligned_copy(array: np.ndarray) -> np.ndarray:
    """Return a copy that begins at a cache line.

    numpy's arrays begin anywhere: vectors then span two cache lines, and loops over them were seen
    to take 15% longer.
    """
    line = 64
    space = np.empty(array.nbytes + line, np.uint8)
    first = -space.ctypes.data % line
    copy = space[first : first + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy
