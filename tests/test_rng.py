"""The generator: known answers of the integers, and the distribution of what is made of them.

Statistical tests here use fixed seeds and reject beyond 5 standard errors: with about 100
comparisons, a false alarm on a new seed has a chance of about 6e-5.
"""

import math

import numpy as np
import pytest

from nrevu import rng

MASK = 2**64 - 1


def reference(state, count):
    """xoshiro256++ written out in Python integers, from the definition of the algorithm."""

    def rotl(x, k):
        return ((x << k) | (x >> (64 - k))) & MASK

    s, out = [int(word) for word in state], []
    for _ in range(count):
        out.append((rotl((s[0] + s[3]) & MASK, 23) + s[0]) & MASK)
        t = (s[1] << 17) & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = rotl(s[3], 45)
    return out


def generator(seed):
    """Return fresh bits and a scratch array."""
    return rng.streams(seed, "0", 0)[1], np.empty(rng.SCRATCH, np.uint64)


def normals(count, seed=1):
    bits, words = generator(seed)
    out = np.empty(count)
    rng.fill_normals(bits, words, out)
    return out


def test_known_answer():
    bits = np.zeros(rng.WORDS, np.uint64)
    for lane in range(rng.LANES):
        bits[lane : 4 * rng.LANES : rng.LANES] = [1, 2, 3, 4]
    words = np.empty(10 * rng.LANES, np.uint64)
    rng.fill_words(bits, words)
    known = [41943041, 58720359, 3588806011781223, 3591011842654386, 9228616714210784205]
    for lane in range(rng.LANES):
        assert words[lane :: rng.LANES][:5].tolist() == known


def test_lanes_and_the_slow_generator_follow_the_definition():
    bits, _ = generator(3)
    before = bits.copy()
    words = np.empty(50 * rng.LANES, np.uint64)
    rng.fill_words(bits, words)
    for lane in range(rng.LANES):
        state = before[lane : 4 * rng.LANES : rng.LANES]
        assert words[lane :: rng.LANES].tolist() == reference(state, 50)
    assert [rng.next_word(bits) for _ in range(50)] == reference(before[4 * rng.LANES :], 50)


def test_moments():
    z = normals(20_000_000)
    square = z * z
    powers = {1: z, 2: square, 3: square * z, 4: square**2, 6: square**3}
    known = {1: (0, 1), 2: (1, 2), 3: (0, 15), 4: (3, 96), 6: (15, 10170)}  # mean, variance
    for power, (mean, variance) in known.items():
        assert abs(np.mean(powers[power]) - mean) < 5 * math.sqrt(variance / z.size)


def test_histogram_and_tails():
    z = normals(20_000_000, seed=2)
    edges = np.concatenate([[-np.inf], np.linspace(-5, 5, 201), [np.inf]])
    # The layers' edges too, where a wrong table or a wrong wedge would show.
    edges = np.unique(np.concatenate([edges, rng.EDGE[1:-1:16], -rng.EDGE[1:-1:16]]))
    cdf = np.array([0.5 * math.erfc(-edge / math.sqrt(2)) for edge in edges])
    upper = np.array([0.5 * math.erfc(edge / math.sqrt(2)) for edge in edges])
    p = np.where(edges[1:] < 0, np.diff(cdf), -np.diff(upper))
    index = np.searchsorted(edges, z) - 1
    counts = np.bincount(index, minlength=p.size)
    chi_square = np.sum((counts - z.size * p) ** 2 / (z.size * p))
    dof = p.size - 1
    assert abs(chi_square - dof) < 5 * math.sqrt(2 * dof)
    for cut in (3.0, rng.TAIL, 4.5):
        expected = z.size * math.erfc(cut / math.sqrt(2))
        assert abs(np.sum(np.abs(z) > cut) - expected) < 5 * math.sqrt(expected)


def test_no_correlation_along_or_across_lanes_or_streams():
    z, other = normals(4_000_000), normals(4_000_000, seed=5)
    bound = 5 / math.sqrt(z.size)
    for lag in (1, 2, 3, 15, 16, 17, 32, 1024):
        for f in (lambda a: a, lambda a: a * a - 1):
            scale = np.mean(f(z) ** 2)
            assert abs(np.mean(f(z[:-lag]) * f(z[lag:]))) / scale < bound
    assert abs(np.mean(z * other)) < bound


def test_signed_uniforms():
    bits, words = generator(4)
    out = np.empty(5_000_001)
    rng.fill_signed(bits, words, out)
    assert -1 < out.min() < -0.999999 and 0.999999 < out.max() < 1
    for power, mean in ((1, 0), (2, 1 / 3), (3, 0), (4, 1 / 5)):
        spread = math.sqrt(1 / (2 * power + 1) - mean**2)
        assert abs(np.mean(out**power) - mean) < 5 * spread / math.sqrt(out.size)


@pytest.mark.parametrize("count", [0, 1, 15, 16, 17, 1023, 1024, 1025, 5000])
def test_any_length_is_filled(count):
    bits, words = generator(6)
    out = np.full(count + 2, 99.0)
    rng.fill_normals(bits, words, out[1:-1])
    assert out[0] == 99 == out[-1]
    assert np.all(np.abs(out[1:-1]) < 10) and np.unique(out[1:-1]).size == count


def test_streams_depend_on_seed_digest_and_chain():
    keys = [(1, "ab", 0), (2, "ab", 0), (1, "ac", 0), (1, "ab", 1)]
    made = {tuple(rng.streams(*key)[1].tolist()) for key in keys}
    assert len(made) == len(keys)
    assert rng.streams(1, "ab", 0)[1].tolist() == rng.streams(1, "ab", 0)[1].tolist()


@pytest.mark.parametrize("shape", [0.3, 1.0, 5.0, 15.0])
def test_gamma_variates(shape):
    bits, _ = generator(8)
    g = np.array([rng.next_gamma(bits, shape) for _ in range(400_000)])
    assert g.min() > 0
    # Moments about zero of a Gamma variate with mean 1: 1, 1 + 1/a, (1 + 1/a)(1 + 2/a), ...
    moment = lambda n: math.prod(1 + k / shape for k in range(n))  # noqa: E731
    for n in (1, 2, 3):
        spread = math.sqrt(moment(2 * n) - moment(n) ** 2)
        assert abs(np.mean(g**n) - moment(n)) < 5 * spread / math.sqrt(g.size)
    assert abs(np.mean(np.log(g)) - MEAN_LOG[shape]) < 5 * np.std(np.log(g)) / math.sqrt(g.size)


# digamma(a) - log(a): the mean logarithm of a Gamma variate with mean 1 and shape a.
MEAN_LOG = {0.3: -2.29855142, 1.0: -0.57721566, 5.0: -0.10332024, 15.0: -0.03370354}
