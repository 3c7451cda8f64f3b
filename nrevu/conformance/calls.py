"""Checks of single calls: recorded columns, finite numbers, no state kept between calls."""

from dataclasses import replace

import numpy as np

from nrevu.conformance.subject import Subject
from nrevu.conformance.verdict import Verdict, fails, ok
from nrevu.core.contracts import part

# Rows are filled with each: a column that still holds both was not written.
MARKS = (1.25e30, -7.5e20)


def record(s: Subject) -> Verdict:
    """Check that every column is written, and every quantity finite."""
    names = part(s.distribution, "recorded")
    rows = [s.record(s.x, s.w, mark) for mark in MARKS]
    left = np.all([block == np.float32(mark) for mark, block in zip(MARKS, rows, strict=True)], 0)
    unwritten = [names[column] for column in np.flatnonzero(left.any(axis=0))]
    if unwritten:
        advice = "write each column whatever the state, or leave its name out of `means()`"
        return fails(f"does not write {', '.join(unwritten)}", advice, unwritten=unwritten)
    found, means = part(s.distribution, "derive")(rows[0]), part(s.distribution, "means")()
    if np.shape(found) != (len(s.x), len(means)):
        says = f"`derive` returns the shape {np.shape(found)}, not {(len(s.x), len(means))}"
        return fails(says, "return a row for each row given, and a column for each mean")
    wild = [q for q, column in zip(means, found.T, strict=True) if not np.isfinite(column).all()]
    if wild:
        says = f"{', '.join(wild)}: not finite at {'a draw' if s.exact else 'a start'}"
        return fails(says, "values are stored as float32: record a logarithm", wild=wild)
    return ok(f"{len(names)} columns, all written: {', '.join(names)}", columns=list(names))


def finite(s: Subject) -> Verdict:
    """Check that U and its gradient are finite at the points and far from them.

    Far from the points U may be infinite: outside the support.
    """
    what, outside = "draws" if s.exact else "starts", 0
    far = {"10 times as far": s.away(10), "100 times as far": s.away(100), "100 x": 100 * s.x}
    for where, points in ({what: s.x} | far).items():
        for x, w in zip(points, s.w, strict=True):
            U = s.energy(x, w)
            if not abs(U) < np.inf and (where == what or not U > 0):
                says = f"`energy` is {U} at {format_point(x)} ({where})"
                advice = "return math.inf outside the support, where no draw or start is, never nan"
                return fails(says, advice, x=x.tolist(), energy=str(U))
            outside += not abs(U) < np.inf
            if "gradient" not in s.functions or not abs(U) < np.inf:
                continue
            g = s.gradient(x, w)[1]
            if not np.isfinite(g).all():
                first = int(np.argmin(np.isfinite(g)))
                says = f"`gradient` leaves {g[first]} in g[{first}] at {format_point(x)} ({where})"
                return fails(says, "write every g[i], finite wherever U is", x=x.tolist())
    for w in s.w if "scales" in s.functions else ():
        scales = np.full(s.distribution.dim, np.nan)
        s.functions["scales"](w, s.data, scales)
        if not (np.isfinite(scales) & (scales > 0)).all():
            return fails(f"`scales` leaves {scales.min()}", "write every s[i], above 0")
    return ok(f"at {4 * len(s.x)} points, {what} and up to 100 times as far ({outside} outside)")


def format_point(x: np.ndarray) -> str:
    """Return the first coordinates of a point as text."""
    return f"x = [{', '.join(f'{value:.4g}' for value in x[:4])}{', ...' if x.size > 4 else ''}]"


def repeatable(s: Subject) -> Verdict:
    """Check that `energy` and `gradient` depend only on x, w and constants, and change neither.

    Arrays in `data` may be working space: other numbers in them must not change the results.
    """
    data = leaves(s.data)
    before = [np.copy(each) for each in (s.x, s.w, *data)]
    first = evaluate_all(s)
    now = map(np.asarray, (s.x, s.w, *data))
    changed = [a.tobytes() != b.tobytes() for a, b in zip(before, now, strict=True)]
    again = evaluate_all(s, order=-1, left=1e9)
    if changed[0] or changed[1]:
        advice = "only read them: the kernel goes on from what is in them"
        return fails(f"an evaluation changes {'x' if changed[0] else 'w'}", advice)
    space = [index for index in range(len(data)) if changed[2 + index]]
    for index in space:
        data[index][...] = 77 if data[index].dtype.kind in "iub" else np.nan
    last = evaluate_all(s)
    for index in space:  # for the checks that follow, in case it was more than working space
        data[index][...] = before[2 + index]
    if not first == again == last:
        advice = "set every number before it is used: totals to 0, g[i] by = and not by +="
        return fails(
            "evaluations at the same x differ: a function keeps state between calls", advice
        )
    if first != evaluate_all(replace(s, data=part(s.distribution, "data")())):
        advice = "compute it from the settings alone; random data need a fixed seed"
        return fails("`data()` is not the same when called again", advice)
    used = f"; {len(space)} arrays of data are working space" if space else ""
    return ok(f"the same bits again at {len(s.x)} points, x and w unchanged{used}")


def evaluate_all(s: Subject, order: int = 1, left: float = 0.0) -> bytes:
    """Return what `energy` and `gradient` give at the points, called in this order.

    `left` is what g holds before each call."""
    states = zip(s.x[::order], s.w[::order], strict=True)
    return np.array([s.evaluate(x, w, left) for x, w in states])[::order].tobytes()


def leaves(data: tuple) -> list:
    """Return the items of a tuple and of the tuples inside it."""
    return [leaf for each in data for leaf in (leaves(each) if type(each) is tuple else [each])]
