"""Are the random numbers what they should be? A long test, run by hand; docs/generator.md.

It draws as kernels do, in blocks, prints a table and ends with 1 if any row fails. All rows
together raise a false alarm once in 1000 seeds, by Bonferroni's bound.

    python benchmarks/generator.py --draws 1e9 [--seed 1] [--json FILE]
"""

import argparse
import json
import sys
import time
from collections.abc import Iterable, Iterator

import generator_rows as judged
import numpy as np
from generator_chances import Row
from generator_sums import BLOCK

from nrevu.core import rng
from nrevu.core.driver import NORMALS
from nrevu.core.target import njit

FALSE_ALARM = 1e-3  # of all rows together
DIGEST = "0123456789abcdef"
# Streams to compare: keys next to each other, or that differ in one hexadecimal digit.
DIGITS = (0, *(16**k for k in range(15)))
OFFSETS = {"chains": range(16), "seeds": DIGITS, "digests": DIGITS}
SHAPES = (0.3, 1.0, 5.0, 15.0)


def key(kind: str, offset: int, seed: int) -> tuple[int, str, int]:
    """Return the (seed, digest, chain) at an offset from the first of a kind."""
    seed ^= offset if kind == "seeds" else 0
    digest = int(DIGEST, 16) ^ (offset if kind == "digests" else 0)
    return seed, f"{digest:016x}", offset if kind == "chains" else 0


def blocks(fill, bits: np.ndarray, draws: float) -> Iterator[np.ndarray]:
    """Yield about `draws` draws, BLOCK at a time, generated as in kernels."""
    out, words = np.empty(BLOCK), np.empty(rng.SCRATCH, np.uint64)
    for _ in range(max(1, round(draws / BLOCK))):
        for part in out.reshape(-1, NORMALS):
            fill(bits, words, part)
        yield out


def raw_blocks(bits: np.ndarray, draws: float) -> Iterator[np.ndarray]:
    """Yield about `draws` raw words, BLOCK at a time."""
    words = np.empty(BLOCK, np.uint64)
    for _ in range(max(1, round(draws / BLOCK))):
        rng.fill_words(bits, words)
        yield words


def side_by_side(kind: str, seed: int, draws: float) -> Iterator[np.ndarray]:
    """Yield normals of 16 close streams, (steps, 256): a column for each lane of each stream."""
    every = [rng.streams(*key(kind, offset, seed))[1] for offset in OFFSETS[kind]]
    words, out = np.empty(rng.SCRATCH, np.uint64), np.empty((len(every), BLOCK // 16))
    for _ in range(max(1, round(draws / out.size))):
        for bits, row in zip(every, out, strict=True):
            rng.fill_normals(bits, words, row)
        yield out.reshape(len(every), -1, rng.LANES).swapaxes(0, 1).reshape(-1, 256)


def starts(states: np.ndarray) -> Iterator[np.ndarray]:
    """Yield the first 64 normals of streams, (streams, 64), from their states."""
    words = np.empty(rng.SCRATCH, np.uint64)
    for some in np.array_split(states, len(states) // 1000 + 1):
        out = np.empty((len(some), 64))
        for bits, row in zip(some.copy(), out, strict=True):
            rng.fill_normals(bits, words, row)
        yield out


@njit
def fill_uniforms(bits, out):
    """Fill `out` with twice next_uniform, minus 1, which is exact."""
    for i in range(out.size):
        out[i] = 2.0 * rng.next_uniform(bits) - 1.0


@njit
def fill_gammas(bits, shape, out):
    """Fill `out` with Gamma variates."""
    for i in range(out.size):
        out[i] = rng.next_gamma(bits, shape)


def slow_blocks(fill, draws: float, *arguments) -> Iterator[np.ndarray]:
    """Yield about `draws` draws of the seventeenth generator, BLOCK at a time."""
    out = np.empty(BLOCK)
    for _ in range(max(1, round(draws / BLOCK))):
        fill(*arguments, out)
        yield out


def every_row(draws: float, seed: int) -> Iterator[Row]:
    """Yield all rows of the test, on about `draws` draws for each of the main parts."""
    bits = (rng.streams(seed, "0", chain)[1] for chain in range(100))  # one for each part
    yield from judged.normal_rows(blocks(rng.fill_normals, next(bits), draws))
    yield from judged.signed_rows("uniforms", blocks(rng.fill_signed, next(bits), draws), 52)
    yield from judged.word_rows(raw_blocks(next(bits), draws))
    for kind in OFFSETS:
        beside = side_by_side(kind, seed, draws / 20)
        yield from judged.product_rows(f"close {kind}", beside, columns=256)
        keys = [key(kind, k, seed) for k in range(1, max(1000, round(draws / 30_000)) + 1)]
        states = np.array([rng.streams(*each)[1] for each in keys])
        yield from judged.state_rows(f"{len(keys)} {kind}", states)
        yield from judged.product_rows(f"starts of {kind}", starts(states), columns=64)
    slow = slow_blocks(fill_uniforms, draws / 10, next(bits))
    yield from judged.signed_rows("next_uniform", slow, 51)
    for shape in SHAPES:
        made = slow_blocks(fill_gammas, draws / 20, next(bits), shape)
        yield from judged.gamma_rows(shape, made)


def failed(rows: list[Row]) -> list[Row]:
    """Return the rows that fail, so that all together seldom raise a false alarm."""
    return [row for row in rows if not row.p >= FALSE_ALARM / len(rows)]


def table(rows: list[Row]) -> Iterator[str]:
    """Yield the lines of the table."""
    bad = failed(rows)
    for row in rows:
        verdict = "FAILS" if row in bad else ""
        yield f"{row.what:42}{row.draws:9.1e}  {row.value:28}{row.p:10.2g}  {verdict}".rstrip()


def report(rows: list[Row], spent: float) -> Iterator[str]:
    """Yield the table and, below it, what to make of it."""
    yield f"{'what':42}{'draws':>9}  {'found':28}{'p':>10}"
    yield from table(rows)
    least, bad = min(row.p for row in rows), len(failed(rows))
    yield f"\n{len(rows)} rows in {spent:.0f} CPU seconds; the smallest p is {least:.2g}."
    level = f"p below {FALSE_ALARM / len(rows):.1e} fails, {FALSE_ALARM:g} for all together"
    yield f"{bad} fail ({level})." if bad else f"None fails ({level})."


def main(words: Iterable[str] | None = None) -> int:
    """Run the test and return 1 if anything fails."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=float, default=1e8, help="of each main part")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", help="a file to write the rows to")
    args = parser.parse_args(words)
    started = time.process_time()
    rows = list(every_row(args.draws, args.seed))
    spent = time.process_time() - started
    print("\n".join(report(rows, spent)))
    if args.json:
        whole = {"draws": args.draws, "seed": args.seed, "cpu_seconds": spent}
        whole |= {"failed": len(failed(rows)), "rows": [row._asdict() for row in rows]}
        with open(args.json, "w") as file:
            json.dump(whole, file, indent=1)
    return 1 if failed(rows) else 0


if __name__ == "__main__":
    sys.exit(main())
