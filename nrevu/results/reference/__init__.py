"""The reference run: a hash of the bits of each cell of the default experiments, and its numbers.

In: tables of cells. Out: how many of them are bit-identical to those of the reference run, which
the package ships at every size; of the others, a statistical comparison with its numbers and the
likely reason. `nrevu reference` makes the files SIZE.json.gz that lie here.
"""

import functools
import gzip
import json
import math
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from nrevu.analysis.autocorrelation import unit_count
from nrevu.analysis.verdict import chance, chance_of_largest, chance_of_sum, probability
from nrevu.errors import Mistake
from nrevu.experiments.columns import error, times

Frames = Sequence[pd.DataFrame]
HERE = Path(__file__).parent
# What decides bits: the target, the versions of what compiles, and our own sources.
DECISIVE = ("target", "numba", "llvmlite", "numpy", "code")


@dataclass(frozen=True)
class Agreement:
    """How cells compare with the reference run."""

    identical: int
    differing: tuple[str, ...]  # digests
    z: tuple[float, ...]  # of the differing cells' numbers, in combined standard errors
    p: tuple[float, ...]  # how often each of these would be as large by chance
    unknown: int  # cells that the reference run does not have
    about: Mapping[str, Any]  # what made the reference run


@functools.cache
def load(size: str) -> dict[str, Any] | None:
    """Return the reference run at a size: what made it, and its cells by digest."""
    file = HERE / f"{size}.json.gz"
    if not file.exists():
        return None
    try:
        return json.loads(gzip.decompress(file.read_bytes()))
    except (OSError, EOFError, ValueError, zlib.error) as error:
        message = f"cannot be read: {error}. Install nrevu again"
        raise Mistake(message, place=str(file)) from None


def write(size: str, about: Mapping[str, Any], tables: Frames, compared: Frames = ()) -> Path:
    """Write the reference run at a size from the tables and comparisons of its experiments."""
    cells = {digest: entry for table in tables for digest, entry in entries(table)}
    found = json.loads(pd.concat(compared).to_json(orient="records")) if compared else []
    run = {"about": dict(about), "cells": dict(sorted(cells.items())), "compared": found}
    file = HERE / f"{size}.json.gz"
    file.write_bytes(gzip.compress(json.dumps(run).encode(), mtime=0))
    return file


def entries(table: pd.DataFrame) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the digest of each cell, with its bits and its numbers: value and standard error."""
    wanted = ["rejection_rate", *times(table, "tau")]
    names = [name for name in table if name in wanted]
    for row in table.to_dict("records"):
        pairs = ((n, [row[n], row[error(n)]]) for n in names)
        kept = {n: [float(f"{x:.7g}") for x in pair] for n, pair in pairs if pd.notna(pair).all()}
        dof = unit_count(int(row["run.chains"])) - 1
        yield row["digest"], {"bits": row["bits"], "dof": dof, **kept}


def compare(tables: Frames, size: str) -> Agreement | None:
    """Return how the cells of some tables compare with the reference run, if there is one."""
    reference = load(size)
    if reference is None:
        return None
    found = {digest: entry for table in tables for digest, entry in entries(table)}
    known = reference["cells"]
    differing = [d for d in found if d in known and found[d]["bits"] != known[d]["bits"]]
    pairs = [pair for digest in differing for pair in differences(found[digest], known[digest])]
    z, p = zip(*pairs, strict=True) if pairs else ((), ())
    unknown = sum(digest not in known for digest in found)
    identical = len(found) - unknown - len(differing)
    return Agreement(identical, tuple(differing), z, p, unknown, reference["about"])


def differences(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> list[tuple[float, float]]:
    """Return the differences of a cell's numbers in combined standard errors, and their chances."""
    names = [name for name in ours if name not in ("bits", "dof") and name in theirs]
    errors = {name: math.hypot(ours[name][1], theirs[name][1]) for name in names}
    found = [(ours[n][0] - theirs[n][0]) / errors[n] for n in names if errors[n] > 0]
    return [(z, chance(z, ours["dof"] + theirs["dof"])) for z in found]


def describe_tables(
    tables: Frames, size: str, provenance_of: Callable[[Sequence[str]], Sequence[Mapping]]
) -> list[str]:
    """Return what to say of the cells of some tables, if there is a reference run at their size.

    `provenance_of` the digests of cells that differ returns each kind of it once.
    """
    try:
        agreement = compare(tables, size)
    except Mistake as mistake:
        return [str(mistake)]
    if agreement is None:
        return []
    kinds = provenance_of(agreement.differing)
    other = [kind for kind in kinds if reason(agreement.about, kind)]
    lines = describe(agreement, (other or kinds or [{}])[0])
    usual = agreement.about["target"]
    targets = sorted({str(kind.get("target")) for kind in kinds} - {usual})
    if targets:
        text = f"cells were compiled for {', '.join(targets)}, not for {usual}"
        lines.append(f"some {text}: their bits may differ from those on other machines")
    return lines


def describe(agreement: Agreement, provenance: Mapping[str, Any]) -> list[str]:
    """Return what to say of it; `provenance` is that of a cell that differs, if one does."""
    run = f"the reference run of version {agreement.about['nrevu']}"
    total = agreement.identical + len(agreement.differing)
    if not total:
        return [f"none of the {agreement.unknown} cells is in {run}: other settings or seed"]
    line = f"{agreement.identical} of {total} cells are bit-identical to {run}"
    line += f"; {agreement.unknown} more are not part of it" if agreement.unknown else ""
    if not agreement.differing:
        return [line]
    unknown = "not known: target, versions and sampling code are the same"
    why = reason(agreement.about, provenance) or unknown
    return [line, f"likely reason: {why}", statistics(agreement)]


def reason(about: Mapping[str, Any], provenance: Mapping[str, Any]) -> str:
    """Return what is not as it was in the reference run."""
    names = {"target": "compiled for", "code": "sampling code"}
    parts = [
        f"{names.get(key, key)} {provenance.get(key, 'unknown')}, not {about[key]}"
        for key in DECISIVE
        if provenance.get(key) != about[key]
    ]
    return "; ".join(parts)


def statistics(agreement: Agreement) -> str:
    """Return the statistical comparison of the cells whose bits differ."""
    z = agreement.z
    if not z:
        return "those cells have no numbers to compare"
    largest, total = chance_of_largest(agreement.p), chance_of_sum(agreement.p)
    word = "consistent" if 2 * min(largest, total) > 0.05 else "not consistent"
    return (
        f"statistically {word}: those {len(agreement.differing)} cells against the reference's "
        f"numbers, largest of {len(z)} differences {max(z, key=abs):+.1f} combined standard errors "
        f"(p {probability(largest)}), sum of squares {sum(v * v for v in z):.0f} "
        f"(p {probability(total)})"
    )
