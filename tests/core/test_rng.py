"""The generator: exact where it can be, and the long test of benchmarks/generator.py, cut short.

What is made of known words is compared with the definitions, number by number. The rest is
statistics with a fixed seed; on a new one, all rows together raise a false alarm with a chance of
1e-3. That the statistics see faults is tried on numbers that were spoilt on purpose.
"""

import hashlib
import importlib
import json
import math
import sys

import numpy as np
import pytest
from conftest import REPO

from nrevu.core import rng

sys.path.insert(0, str(REPO / "benchmarks"))  # where the long test finds its own parts
generator = importlib.import_module("generator")
chances = importlib.import_module("generator_chances")
judged = importlib.import_module("generator_rows")
sys.path.remove(str(REPO / "benchmarks"))

MASK = 2**64 - 1


def rotl(x, k):
    return ((x << k) | (x >> (64 - k))) & MASK


def reference(state):
    """Yield words of xoshiro256++ in Python integers, from the definition of the algorithm."""
    s = list(state)
    while True:
        yield (rotl((s[0] + s[3]) & MASK, 23) + s[0]) & MASK
        t = (s[1] << 17) & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = rotl(s[3], 45)


def lanes(bits):
    """Return the references of the 16 lanes and of the slow generator."""
    states = [bits[lane : 4 * rng.LANES : rng.LANES] for lane in range(rng.LANES)]
    return [reference(state.tolist()) for state in [*states, bits[4 * rng.LANES :]]]


def filled(fill, count, seed):
    """Return the bits that a stream starts with and numbers made from them."""
    bits, out = rng.streams(seed, "0", 0)[1], np.empty(count)
    before = bits.copy()
    fill(bits, np.empty(rng.SCRATCH, np.uint64), out)
    return before, out


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
    bits = rng.streams(3, "0", 0)[1]
    *fast, slow = lanes(bits)
    words = np.empty(50 * rng.LANES, np.uint64)
    rng.fill_words(bits, words)
    assert words.tolist() == [next(lane) for _ in range(50) for lane in fast]
    assert [rng.next_word(bits) for _ in range(50)] == [next(slow) for _ in range(50)]


def test_layers_have_equal_areas():
    beyond = math.sqrt(math.pi / 2) * math.erfc(rng.TAIL / math.sqrt(2))
    areas = rng.EDGE[1:512] * np.diff(rng.HEIGHT)[1:]
    lowest = [rng.EDGE[0] * rng.HEIGHT[1], rng.TAIL * rng.HEIGHT[1] + beyond]
    assert areas.size == 511 and rng.EDGE[1] == rng.TAIL and rng.EDGE[512] == 0
    assert np.allclose([*areas, *lowest], rng.AREA, rtol=2e-9, atol=0)
    assert np.allclose(rng.HEIGHT, np.exp(-0.5 * rng.EDGE**2), rtol=1e-14, atol=0)
    for sign, side in ((1, slice(512)), (-1, slice(512, 1024))):
        ratio = rng.INSIDE[side] / 2**52 * rng.EDGE[:512] - rng.EDGE[1:]
        assert np.abs(ratio).max() < 2**-50
        assert np.array_equal(sign * rng.SCALE[side] * 2**52, rng.EDGE[:512])


def slow_uniform(slow):
    return ((next(slow) >> 12) + 0.5) / 2**52


def ziggurat(word, slow):
    """Return one normal by Marsaglia and Tsang's method, and how it was found."""
    while True:
        layer, sign, j = word & 511, (-1) ** (word >> 9), word >> 12
        x = sign * j * rng.EDGE[layer] / 2**52
        if abs(x) < rng.EDGE[layer + 1]:
            return x, "inside"
        if layer == 0:
            while True:
                beyond, y = (-math.log(slow_uniform(slow)) for _ in range(2))
                if 2 * y > (beyond / rng.TAIL) ** 2:
                    return math.copysign(rng.TAIL + beyond / rng.TAIL, x), "tail"
        low, high = rng.HEIGHT[layer : layer + 2]
        if low + slow_uniform(slow) * (high - low) < math.exp(-x * x / 2):
            return x, "wedge"
        word = next(slow)


def test_normals_follow_the_definition():
    """But for the last bits of a logarithm, which may not be the same everywhere."""
    bits, z = filled(rng.fill_normals, 20_000, seed=3)
    *fast, slow = lanes(bits)
    made = [ziggurat(next(lane), slow) for _ in range(z.size // rng.LANES) for lane in fast]
    assert {how for _, how in made} == {"inside", "wedge", "tail"}
    assert np.allclose(z, [x for x, _ in made], rtol=1e-14, atol=0)


def test_uniforms_follow_the_definition():
    bits, u = filled(rng.fill_signed, 2000, seed=4)
    *fast, slow = lanes(bits)
    words = [next(lane) for _ in range(u.size // rng.LANES) for lane in fast]
    assert u.tolist() == [((w >> 11) - (w >> 63 << 53) + 0.5) / 2**52 for w in words]
    assert [rng.next_uniform(bits) for _ in range(9)] == [slow_uniform(slow) for _ in range(9)]


@pytest.mark.parametrize("count", [0, 1, 15, 16, 17, 1023, 1024, 1025, 5000])
def test_any_length_is_filled(count):
    bits, words = rng.streams(6, "0", 0)[1], np.empty(rng.SCRATCH, np.uint64)
    out = np.full(count + 2, 99.0)
    rng.fill_normals(bits, words, out[1:-1])
    assert out[0] == 99 == out[-1]
    assert np.all(np.abs(out[1:-1]) < 10) and np.unique(out[1:-1]).size == count


def test_the_long_test_cut_short(tmp_path, capsys):
    assert generator.main(["--draws", "4e6", "--json", str(tmp_path / "rows.json")]) == 0
    assert "None fails" in capsys.readouterr().out
    whole = json.loads((tmp_path / "rows.json").read_text())
    assert len(whole["rows"]) == 92 and whole["failed"] == 0


def test_a_row_that_fails_is_told_and_ends_with_1(monkeypatch, capsys):
    rows = [chances.by_z("good", 10, 1.0), chances.by_z("bad", 10, 9.0)]
    monkeypatch.setattr(generator, "every_row", lambda draws, seed: rows)
    assert generator.main([]) == 1
    told = capsys.readouterr().out
    assert "1 fail " in told and "FAILS" in next(s for s in told.splitlines() if s[:3] == "bad")


def test_chances():
    """Against tables: chi-square 18.307 on 10 and 67.505 on 50 leave 5%, and so on."""
    close = lambda row, p: row.p == pytest.approx(p, rel=2e-4)  # noqa: E731
    assert close(chances.by_z("", 1, -1.959964), 0.05)
    assert close(chances.by_chi_square("", 1, 18.30704, 10), 0.1)
    assert close(chances.by_chi_square("", 1, 67.50481, 50), 0.1)
    assert close(chances.by_chi_square("", 1, 3.940299, 10), 0.1)  # too good
    assert close(chances.by_count("", 1, 0, 5.0), 2 * math.exp(-5))
    assert close(chances.by_count("", 1, 3, 0.5), 2 * (1 - 1.625 * math.exp(-0.5)))
    assert close(chances.by_largest("", 1, [0.1, -2.5, 1.0]), 1 - (1 - 0.01241933) ** 3)
    assert chances.by_histogram("", [40, 5, 20, 35], [0.4, 0.05, 0.2, 0.35]).value[-4:] == "on 2"


def sign_by_size(z):
    """Let the size of a draw decide the sign of the next, so that they are not correlated."""
    first, second = z.reshape(-1, 2).T
    second[:] = np.abs(second) * np.sign(first) * np.sign(np.abs(first) - math.sqrt(math.log(4)))


def like_lane_0(z):
    z.reshape(-1, rng.LANES)[:, 5] = z.reshape(-1, rng.LANES)[:, 0]


def as_large_as_lane_0(z):
    first, fifth = z.reshape(-1, rng.LANES)[:, [0, 5]].T
    z.reshape(-1, rng.LANES)[:, 5] = np.copysign(first, fifth)


def repeated_scratch(z):
    z.reshape(-1, 2, rng.SCRATCH)[:, 1] = z.reshape(-1, 2, rng.SCRATCH)[:, 0]


FAULTS = {  # what is done to normals, and the rows that must see it
    "no tail": (lambda z: np.clip(z, -rng.TAIL, 3.85, z), ("beyond 3.852", "beyond -4")),
    "one tail": (lambda z: np.negative(z, z, where=z < -rng.TAIL), ("beyond -3.852",)),
    "a wide layer": (lambda z: np.multiply(z, 1.02, z, where=np.abs(z) < 0.5), ("bins",)),
    "not around 0": (lambda z: np.add(z, 0.015, z), ("power 1", "power 3")),
    "one lane twice": (like_lane_0, ("z, pairs of lanes", "z at lags 1..64, 1024")),
    "sizes twice": (as_large_as_lane_0, ("z^2-1, pairs of lanes", "z^2-1 at lags 1..64, 1024")),
    "scratch twice": (repeated_scratch, ("z at lags 1..64, 1024",)),
    "signs by sizes": (sign_by_size, ("pairs of neighbours",)),
}


@pytest.mark.parametrize("spoil, seen", FAULTS.values(), ids=FAULTS)
def test_faults_of_normals_are_seen(spoil, seen):
    _, z = filled(rng.fill_normals, 40 * generator.BLOCK, seed=1)
    spoil(z)
    rows = list(judged.normal_rows(z.reshape(40, -1)))
    bad = " | ".join(row.what for row in generator.failed(rows))
    assert [what for what in seen if what not in bad] == []


def test_faults_of_the_rest_are_seen():
    size = (32, generator.BLOCK)
    words = np.random.default_rng(1).integers(2**64, size=size, dtype=np.uint64)
    u = ((words.view(np.int64) >> 11) + 0.5) / 2**52
    assert not generator.failed([*judged.word_rows(words), *judged.signed_rows("", u, 52)])
    unbalanced, repeated, states = words.copy(), words.copy(), words[:, :6800].reshape(-1, 68)
    unbalanced[:, ::50] |= np.uint64(1 << 33)
    steps = repeated.reshape(-1, 2, rng.LANES)
    steps[::9, 1] = steps[::9, 0]
    states[7, 2 : 4 * rng.LANES : rng.LANES] = states[900, 3 : 4 * rng.LANES : rng.LANES]
    seen = {
        "balance of 64 bits": judged.word_rows(unbalanced),
        "layers of steps of a lane": judged.word_rows(repeated),
        "power 2": judged.signed_rows("", u * 0.99, 52),
        "lowest 16 bits": judged.signed_rows("", (np.floor(u * 2**40) + 0.5) / 2**40, 52),
        "generators alike": judged.state_rows("", states),
        "shape 5, bins": judged.gamma_rows(5.0, 2 * np.abs(u)),
    }
    for what, rows in seen.items():
        assert what in " | ".join(row.what for row in generator.failed(list(rows)))


SEEDS = [*range(8), 2**31, *(2**k + low for k in (32, 64, 128, 256) for low in (-1, 0, 1)), 10**400]
DIGESTS = [f"{int(generator.DIGEST, 16) ^ 16**k:016x}" for k in range(16)] + [generator.DIGEST]


def test_no_two_streams_have_a_generator_in_common():
    """All 17 of each stream, of seeds, digests and chains that are close; and large seeds."""
    keys = [(seed, digest, chain) for seed in SEEDS for digest in DIGESTS for chain in range(14)]
    made = [rng.streams(*key) for key in keys]
    states = np.array([bits for _, bits in made])
    first = np.concatenate([states[:, : rng.LANES].ravel(), states[:, 4 * rng.LANES]])
    assert np.unique(first).size == 17 * len(keys)
    starts = {start.bit_generator.state["state"]["state"] for start, _ in made[::10]}
    assert len(starts) == len(keys[::10])
    assert np.array_equal(rng.streams(*keys[5])[1], states[5])


def test_streams_are_the_hash_that_the_page_on_them_says():
    hashed = hashlib.shake_256(b"7 0123456789abcdef 3").digest(32 + 8 * rng.WORDS)
    start, bits = rng.streams(7, "0123456789abcdef", 3)
    words = [int.from_bytes(hashed[i : i + 8], "little") for i in range(32, len(hashed), 8)]
    assert bits.tolist() == words and bits.dtype == np.uint64 and bits.size == 68
    same = np.random.default_rng(int.from_bytes(hashed[:32], "little"))
    assert start.random() == same.random()


def test_a_negative_seed_is_refused():
    with pytest.raises(ValueError):
        rng.streams(-1, generator.DIGEST, 0)
