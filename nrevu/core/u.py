"""The accept/reject decision with v in the state: equations (1) and (2), Section 2.

u = |v| is uniform on [0,1] when v is uniform on [-1,1]. Delta 0 with noise 1 draws a new v for each
decision, which is the standard method; a small delta with noise 0 is the non-reversible one.
"""

from nrevu.core.elementary import exp
from nrevu.core.target import njit


@njit(error_model="numpy")
def move(v, delta, noise, signed):
    """Return v translated by delta + noise * signed and wrapped into [-1,1]: equation (1).

    Neither |delta| nor noise exceeds 1, so that wrapping once is enough.
    """
    v += delta + noise * signed
    v = v - 2.0 if v > 1.0 else v
    return v + 2.0 if v < -1.0 else v


@njit(error_model="numpy")
def decide(v, dH):
    """Return (accepted, v), v rescaled on acceptance to keep s = |v| pi(x): equation (2).

    The comparison is strict and the ratio is not capped at 1. A dH that is nan rejects.
    """
    ratio = exp(-dH)
    rescaled = v / ratio  # in any case: a loop of decisions without branches vectorises
    accepted = abs(v) < ratio
    return accepted, rescaled if accepted else v
