"""The decision with v: equations (1) and (2)."""

import math

import numpy as np
import pytest

from nrevu.core.u import decide, move


@pytest.mark.parametrize(
    "v, delta, noise, signed, moved",
    [
        (0.5, 0.3, 0.0, 0.0, 0.8),
        (0.9, 0.3, 0.0, 0.0, -0.8),
        (-0.9, -0.3, 0.0, 0.0, 0.8),
        (0.25, 0.25, 0.5, -1.0, 0.0),
        (0.9, 1.0, 1.0, 1.0, 0.9),
        (1.0, 0.0, 0.0, 0.0, 1.0),  # the ends themselves are inside
        (-1.0, 0.0, 0.0, 0.0, -1.0),
    ],
)
def test_move(v, delta, noise, signed, moved):
    assert move(v, delta, noise, signed) == pytest.approx(moved, abs=1e-15)


def test_move_keeps_v_uniform():
    # A grid of equally spaced points goes into itself, shifted.
    grid = np.linspace(-1, 1, 2000, endpoint=False) + 0.0005
    for delta in (0.03, 0.3, -0.7, 1.0):
        moved = np.sort([move(v, delta, 0.0, 0.0) for v in grid])
        assert np.allclose(np.diff(moved), 0.001, atol=1e-12) and np.ptp(moved) < 2


def test_standard_u_forgets_v():
    signed = np.linspace(-0.9, 0.9, 7)
    moved = {v: sorted(move(v, 0.0, 1.0, s) for s in signed) for v in (-0.3, 0.0, 0.8)}
    assert all(-1 <= value <= 1 for values in moved.values() for value in values)
    u = np.random.default_rng(1).uniform(-1, 1, (2, 200_000))
    after = np.array([move(v, 0.0, 1.0, s) for v, s in u.T])
    for f in (np.abs, lambda a: a):
        a, b = f(u[0]) - f(u[0]).mean(), f(after) - f(after).mean()
        # Correlation within 5 standard errors: false alarm 6e-7 each.
        assert abs(np.mean(a * b)) / (a.std() * b.std()) < 5 / math.sqrt(a.size)


def test_decide_rescales_v_on_acceptance_only():
    accepted, v = decide(0.2, 1.0)
    assert accepted and v == pytest.approx(0.2 / math.exp(-1.0), rel=1e-15)
    accepted, v = decide(-0.5, 1.0)
    assert not accepted and v == -0.5
    accepted, v = decide(-0.8, -2.0)  # downhill: the ratio is above 1 and is not capped
    assert accepted and v == pytest.approx(-0.8 / math.exp(2.0), rel=1e-15)


def test_decide_is_strict_and_rejects_what_overflowed():
    assert not decide(1.0, 0.0)[0] and not decide(-1.0, 0.0)[0]
    assert decide(np.nextafter(1.0, 0.0), 0.0)[0]
    assert not decide(0.0, math.inf)[0]
    assert not decide(0.0, math.nan)[0]
