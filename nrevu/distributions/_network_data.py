"""The cases of a network: generated from a seed, or read from a CSV file."""

import functools
from pathlib import Path

import numpy as np

from nrevu.core.elementary import round_to_32_bits


@functools.cache
def generate_cases(cases: int, copies: int, noise: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return inputs (inputs, cases) and classes: two relevant inputs, their copies, noise.

    Class 1 has probability exp(-d^4), d the distance of the relevant inputs from (0.4, -0.3).
    """
    rng = np.random.default_rng(seed)
    relevant = round_to_32_bits(rng.standard_normal((2, cases)))
    copied = np.tile(relevant, (copies, 1)) + 0.1 * rng.standard_normal((2 * copies, cases))
    unrelated = rng.standard_normal((noise, cases))
    inputs = round_to_32_bits(np.concatenate([relevant, copied, unrelated]))
    square = (relevant[0] - 0.4) ** 2 + (relevant[1] + 0.3) ** 2
    classes = (rng.random(cases) < np.exp(-(square**2))).astype(np.float64)
    return read_only(inputs), read_only(classes)


@functools.cache
def read_cases(file: str) -> tuple[np.ndarray, np.ndarray]:
    """Return inputs (inputs, cases) and classes of a CSV file with a line of names at its top."""
    try:
        text = Path(file).read_text(encoding="utf-8")
    except OSError as error:
        raise ValueError(f"table: {file}: {str(error.strerror).lower()}") from None
    except UnicodeDecodeError:
        raise ValueError(f"table: {file}: not a text file") from None
    lines = [(n, line) for n, line in enumerate(text.splitlines(), start=1) if line.strip()]
    if lines and numbers(lines[0][1]) is not None:
        raise ValueError(f"table: {file}: its first line must be the names of the columns")
    rows: list[list[float]] = []
    for number, line in lines[1:]:
        row, where = numbers(line), f"table: {file}, line {number}"
        if row is None or not np.all(np.isfinite(row)):
            raise ValueError(f"{where}: expected finite numbers separated by commas")
        if len(row) < 2 or (rows and len(row) != len(rows[0])):
            raise ValueError(f"{where}: it must have as many inputs as the others, then the class")
        if row[-1] not in (0, 1):
            raise ValueError(f"{where}: the class, {row[-1]:g}, must be 0 or 1")
        rows.append(row)
    if not rows:
        raise ValueError(f"table: {file}: it must have a line of names, then cases")
    cases = np.array(rows).T
    return read_only(np.ascontiguousarray(cases[:-1])), read_only(cases[-1].copy())


def numbers(line: str) -> list[float] | None:
    """Return the numbers of a line, or None if it holds something else."""
    try:
        return [float(field) for field in line.split(",")]
    except ValueError:
        return None


def read_only(array: np.ndarray) -> np.ndarray:
    """Make a cached array read-only and return it."""
    array.flags.writeable = False
    return array
