"""The true values of a time over a grid, from noisy estimates of its cells.

In: a table of cells with estimates. Out: a Surface: on a logarithmic scale, what the cells' true
values may be. Model: a quadratic in the settings, a smooth deviation from it (a Gaussian process)
and an independent deviation of each cell; how large these are is averaged over: the sizes that are
tried, even on a logarithmic scale, count by their likelihood.
Neighbours inform each other, so the smallest of many noisy values is not believed.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nrevu.experiments.columns import error

if TYPE_CHECKING:
    import pandas as pd

LARGEST = 400  # cells that are modelled: of more, those with the lowest estimates
LEVEL = 2.0  # prior standard deviation of the level, a logarithm: vague
TREND = (0.03, 0.3, 2.0)  # standard deviations of the quadratic's other terms that are tried
SMOOTH = (0.01, 0.03, 0.1, 0.3)  # of the smooth deviation
LENGTHS = (0.3, 0.6)  # over which share of an axis it varies
# Of each cell's own deviation: none below 1%, and none of 10%. The grids whose errors are about 1%
# tell: all fit best with 5% or less.
ROUGH = (0.01, 0.03, 0.05)
DRAWS = 4000  # from what the values may be
NEGLIGIBLE = 1e-3  # relative weight of a combination that is left out
TINY = 1e-10  # added to variances, of logarithms: keeps matrices positive definite
FREEDOM = 30.0  # degrees of freedom of an estimated error, about
AXES = ("distribution", "method", "u", "schedule")  # settings that are axes of a grid
Mixture = list[tuple[float, np.ndarray, np.ndarray]]  # weights, means (n), covariances (n, n)


@dataclass(frozen=True)
class Surface:
    """What the logarithms of the true values of n cells may be."""

    index: pd.Index  # of the cells' rows
    draws: np.ndarray  # (DRAWS, n)
    mean: np.ndarray  # (n)

    def ranked(self) -> list:
        """Return the rows of the cells, that with the lowest expected value first."""
        return list(self.index[np.argsort(self.mean, kind="stable")])


def surface(cells: pd.DataFrame, quantity: str, runs: pd.DataFrame | None = None) -> Surface:
    """Return what the true values of a quantity may be, from all runs of the cells of a grid.

    `runs` have the digest of their cell in `selected.digest`. Cells without a positive estimate
    are left out.
    """
    cells = cells[estimated(cells, quantity)]
    cells = cells.loc[cells[quantity].nsmallest(LARGEST).index.sort_values()]
    place = axes(cells)
    value, variance = combine(cells, quantity, place, runs)
    mixture = posterior(place, np.log(value) + variance / 2, variance)  # the mean of a logarithm
    mean = sum(weight * mean for weight, mean, _ in mixture)
    return Surface(cells.index, draw(mixture), np.asarray(mean))


def estimated(cells: pd.DataFrame, quantity: str) -> pd.Series:
    """Tell for each row whether an estimate is positive and has an error."""
    return (cells[quantity] > 0) & (cells[error(quantity)] > 0)


def combine(
    cells: pd.DataFrame, quantity: str, place: np.ndarray, runs: pd.DataFrame | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return for each cell the mean over its runs, by their lengths, and its relative variance."""
    groups = cells["run.groups"].to_numpy(float)
    values = cells[quantity].to_numpy(float)
    total = groups * values
    squares = total**2 * smooth_variances(place, per_group(cells, quantity)) / groups
    where = {digest: index for index, digest in enumerate(cells["digest"])}
    for index, run, each in pooled_runs(runs, quantity, where):
        total[index] += run["run.groups"] * run[quantity]
        squares[index] += run["run.groups"] * run[quantity] ** 2 * each
        groups[index] += run["run.groups"]
    return total / groups, squares / total**2


def per_group(cells: pd.DataFrame, quantity: str) -> np.ndarray:
    """Return the relative variances of estimates, times their groups of updates."""
    relative = cells[error(quantity)] / cells[quantity]
    return (relative**2 * cells["run.groups"]).to_numpy(float)


def pooled_runs(
    runs: pd.DataFrame | None, quantity: str, where: Mapping[str, int]
) -> Iterator[tuple[int, dict[str, Any], float]]:
    """Yield the runs of some cells: the cell's index, the run, and its variance for one group.

    That is the mean over all runs of the same length. Long runs know their errors better than the
    grid does, whose runs may be too short to show slow modes.
    """
    if runs is None:
        return
    runs = runs[estimated(runs, quantity) & runs["selected.digest"].isin(list(where))]
    for _, part in runs.groupby("run.groups", sort=True):
        mean = per_group(part, quantity).mean()
        for run in part.to_dict("records"):
            yield where[run["selected.digest"]], run, mean


def axes(cells: pd.DataFrame) -> np.ndarray:
    """Return the places of cells on the axes of their grid (n, axes), each from 0 to 1.

    The values of an axis are equally far apart. Settings that vary together make one axis.
    """
    columns: list[np.ndarray] = []
    for name in cells.columns:
        if name.partition(".")[0] not in AXES or cells[name].nunique(dropna=False) < 2:
            continue
        values = cells[name]
        if values.dtype == object:  # text and numbers of several classes
            values = values.map(str).where(values.notna())
        codes = values.rank(method="dense", na_option="top").to_numpy(float)
        place = (codes - codes.min()) / max(1.0, codes.max() - codes.min())
        if not any(np.allclose(place, o) or np.allclose(place, 1 - o) for o in columns):
            columns.append(place)
    return np.array(columns).T if columns else np.zeros((len(cells), 0))


def smooth_variances(place: np.ndarray, variances: np.ndarray) -> np.ndarray:
    """Return estimated variances smoothed over the grid.

    An estimate that is too low comes with an error that is too small: the error of its neighbours
    tells how much it may be wrong.
    """
    known = np.full(variances.size, 2 / FREEDOM)
    mixture = posterior(place, np.log(variances), known)
    smooth = np.exp(np.asarray(sum(weight * mean for weight, mean, _ in mixture)))
    return smooth * np.mean(variances / smooth)  # the mean of logarithms is below that of variances


def posterior(place: np.ndarray, value: np.ndarray, variance: np.ndarray) -> Mixture:
    """Return what the true values may be, given values with known variances at some places."""
    centred = 2 * place - 1
    quadratic = (1 + centred @ centred.T) ** 2 - 1
    distance = ((place[:, None] - place[None]) ** 2).sum(axis=-1)
    middle = value.mean()
    found = []
    for trend, smooth, length, rough in itertools.product(TREND, SMOOTH, LENGTHS, ROUGH):
        prior = LEVEL**2 + trend**2 * quadratic + rough**2 * np.eye(value.size)
        prior += smooth**2 * np.exp(-distance / (2 * length**2))
        total = prior + np.diag(variance)
        rest = np.linalg.solve(total, value - middle)
        logarithm = np.log(np.diag(np.linalg.cholesky(total))).sum()
        likelihood = -(value - middle) @ rest / 2 - logarithm
        found.append((likelihood, prior, total, rest))
    most = max(likelihood for likelihood, *_ in found)
    mixture = []
    for likelihood, prior, total, rest in found:
        if likelihood > most + np.log(NEGLIGIBLE):
            covariance = prior - prior @ np.linalg.solve(total, prior)
            weight = float(np.exp(likelihood - most))
            mixture.append((weight, middle + prior @ rest, (covariance + covariance.T) / 2))
    weights = sum(weight for weight, *_ in mixture)
    return [(weight / weights, mean, covariance) for weight, mean, covariance in mixture]


def draw(mixture: Mixture) -> np.ndarray:
    """Return draws (DRAWS, n) of the true values, always the same for the same mixture.

    By Cholesky factors, which are unique: eigenvectors may differ from processor to processor.
    """
    rng = np.random.default_rng(1)
    counts = np.diff(np.rint(DRAWS * np.cumsum([0, *(weight for weight, *_ in mixture)])))
    parts = []
    for count, (_, mean, covariance) in zip(counts.astype(int), mixture, strict=True):
        root = np.linalg.cholesky(covariance + TINY * np.eye(mean.size))
        parts.append(mean + rng.standard_normal((count, mean.size)) @ root.T)
    return np.concatenate(parts)
