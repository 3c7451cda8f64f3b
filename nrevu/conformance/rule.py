"""Checks whether a rule for u keeps v uniform, jointly with x and p, and why not.

In: a rule, built in or from a user's file. Out: one verdict for each check. The decision compares
u = |v|, so v must be uniform on [-1,1], independent of x, before each move and after it.
"""

import functools
import inspect
from collections import namedtuple
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from nrevu.conformance import compiled, drivers, invariance
from nrevu.conformance.method import cell_of, compile_all
from nrevu.conformance.targets import TARGETS, Skewed
from nrevu.conformance.verdict import Verdict, fails, ok, run_check, skipped, worst_score
from nrevu.core.rng import WORDS
from nrevu.core.sampler import Sampler
from nrevu.core.target import njit
from nrevu.core.user_files import probe_sampler
from nrevu.methods.hamiltonian import PersistentLangevin
from nrevu.methods.metropolis import Metropolis

MOVES = 200_000
REPEATS = 100  # of a move
BINS = 100  # of [-1,1]
METHODS = {
    "metropolis": Sampler(Skewed(1), Metropolis(1.5), None),
    "persistent": Sampler(TARGETS["pairs"], PersistentLangevin(0.4, 0.9, "update"), None),
}


def check(rule: Any, seed: int = 1) -> Iterator[Verdict]:
    """Yield the verdicts on a rule; raise a Mistake if it cannot be compiled."""
    file = Path(inspect.getfile(type(rule)))
    on = {name: sampler._replace(u=rule) for name, sampler in METHODS.items()}
    some = on["metropolis"]
    probe_sampler(some)
    first = run_check("indices", file, drivers.plain, some, seed)[0]
    yield first
    if first.outcome == "FAILS":
        return
    yield run_check("compiles", file, compile_all, list(on.values()))[0]
    yield run_check("same chains", file, drivers.same, list(on.values()), seed)[0]
    yield run_check("range", file, in_range, some, seed)[0]
    yield run_check("moves", file, moves, some, seed)[0]
    yield run_check("uniform", file, uniform, some, seed)[0]
    yield run_check("rescale", file, rescale, some, seed)[0]
    yield run_check("digest", file, compiled.digest, lambda: cell_of(some))[0]
    yield run_check("bits", file, compiled.sampler_bits, rule, some)[0]
    for name, sampler in on.items():
        advice = "the checks above name the cause: v must stay uniform and independent of x"
        yield run_check(name, file, invariance.check, [sampler], seed, advice)[0]
    yield run_check("speed", file, compiled.speed, on.get("persistent", some), seed)[0]


def numbers(sampler: Sampler) -> Any:
    """Return r, as the functions receive it."""
    settings = sampler.rule_settings
    return namedtuple("RuleNumbers", settings)(**settings)


def moved(sampler: Sampler, v: np.ndarray, seed: int) -> np.ndarray:
    """Return each v after one move."""
    r, rng = numbers(sampler), np.random.default_rng([seed, 1])
    bits = rng.integers(2**64, size=WORDS, dtype=np.uint64)
    uniforms = rng.uniform(-1, 1, v.size) if r.uniforms else np.zeros(v.size)
    after = np.empty_like(v)
    move_all(sampler.moves["move"])(r, v, uniforms, bits, after)
    return after


@functools.cache
def move_all(function: Callable) -> Callable:
    """Return a compiled loop of moves."""
    move = njit(function)

    def loop(r, v, uniforms, bits, after):
        for i in range(v.size):
            after[i] = move(r, v[i], uniforms[i], bits)

    return njit(loop)


def in_range(sampler: Sampler, seed: int) -> Verdict:
    """Check that v stays within [-1,1]."""
    v = np.concatenate(
        [np.linspace(-1, 1, 2001), np.random.default_rng(seed).uniform(-1, 1, 10_000)]
    )
    after = moved(sampler, v, seed)
    if not np.all(np.abs(after) <= 1):
        worst = int(np.argmax(np.nan_to_num(np.abs(after), nan=np.inf)))
        says = f"v = {v[worst]:.4g} moves to {after[worst]:.4g}"
        return fails(says, "return wrap(v), from nrevu.u: it goes on at the other end of [-1,1]")
    return ok(f"{v.size} moves stay within [-1,1]")


def moves(sampler: Sampler, seed: int) -> Verdict:
    """Check that v moves: a v that stays is never an answer to what x does."""
    v = np.random.default_rng(seed).uniform(-1, 1, 1000)
    step = np.abs(moved(sampler, v, seed) - v)
    step = np.minimum(step, 2 - step)
    if np.all(step <= 1e-12):
        return fails(
            "v does not move", "then u never changes after a rejection: let `move` move it"
        )
    return ok(f"by {step.mean():.3g} on average", step=float(step.mean()))


def uniform(sampler: Sampler, seed: int) -> Verdict:
    """Check that a uniform v is uniform after a move."""
    v = np.random.default_rng(seed).uniform(-1, 1, MOVES)
    after = moved(sampler, v, seed)
    if not np.all(np.abs(after) <= 1):
        return skipped("`range` has to pass first")
    at_ends = float(np.mean(np.abs(after) > 1 - 1e-12))
    for number in range(1, REPEATS):  # rounding may collapse what one move keeps uniform
        after = moved(sampler, after, seed + number)
    inside = np.histogram(after, BINS, (-1, 1))[0] - MOVES / BINS
    z = {f"bin {k}": n / np.sqrt(MOVES / BINS) for k, n in enumerate(inside)}
    z |= {"mean of v": after.mean() * np.sqrt(3 * MOVES)}
    found, passed, text = worst_score(z, MOVES)
    says = (
        f"{MOVES} uniform v after {REPEATS} moves, in {BINS} bins; worst {found['worst']}: {text}"
    )
    if at_ends > 0:
        advice = "v is clipped: wrap it, so that it goes on at the other end of [-1,1]"
        return fails(f"{at_ends:.2%} of v end at exactly 1 or -1", advice, at_ends=at_ends)
    if not passed:
        advice = "add something to v that does not depend on it, and wrap; never multiply"
        return fails(says, advice, **found)
    return ok(says, **found)


def rescale(sampler: Sampler, seed: int) -> Verdict:
    """Check that an acceptance keeps s = |v| pi, unless the next move forgets v anyway."""
    r, rng, function = numbers(sampler), np.random.default_rng(seed), sampler.moves["rescale"]
    assert function is not None
    ratio = np.exp(rng.normal(0, 2, 1000))
    v = rng.uniform(-1, 1, 1000) * np.minimum(ratio, 1)
    after = np.array([function(r, *pair) for pair in zip(v, ratio, strict=True)])
    if np.allclose(np.abs(after), np.abs(v) / ratio, rtol=1e-9):
        return ok("an acceptance keeps |v| pi")
    if forgets(sampler, seed):
        return ok("an acceptance does not keep |v| pi; it need not, since a move forgets v")
    advice = "return v / ratio from `rescale`, or leave it out: it then does so"
    if np.array_equal(after, v):
        return fails("v stays as it is when a proposal is accepted", advice)
    return fails("|v| is not divided by pi(x*) / pi(x) when a proposal is accepted", advice)


def forgets(sampler: Sampler, seed: int) -> bool:
    """Tell whether v after a move is independent of v before it, as far as 20,000 moves tell."""
    v = np.random.default_rng(seed).uniform(-1, 1, 20_000)
    after = moved(sampler, v, seed)
    waves = [np.exp(1j * np.pi * k * (after - v)).mean() for k in (1, 2)]
    return all(abs(wave) < 5 / np.sqrt(v.size) for wave in waves)
