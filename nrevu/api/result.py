"""What the chains of one cell recorded, as Python sees it: arrays, estimates, ArviZ's form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from nrevu.api.times import Time
from nrevu.cells.cell import Cell, config
from nrevu.cells.series import Series, by_chain
from nrevu.core.contracts import part


class Estimated(NamedTuple):
    """A number with its standard error."""

    value: float
    se: float


@dataclass(frozen=True, repr=False)
class Result:
    """What the chains of a cell recorded, and estimates from it.

    Arrays have the dimensions (chain, group). Where chains differ in length, by one group at most,
    arrays are cut to the shortest; estimates use all groups.
    """

    cell: Cell
    series: Series
    summary: dict[str, Any]  # all estimates: what `nrevu run --json` prints
    draws: np.ndarray | None = None  # coordinates (groups, dim), chains one after the other

    @property
    def digest(self) -> str:
        """Return 16 hex digits of all that determines the numbers."""
        return self.cell.digest

    @property
    def values(self) -> dict[str, np.ndarray]:
        """Return the quantities at the end of each group: (chain, group) for each name."""
        columns = part(self.cell.distribution, "derive")(self.series.rows).T
        names = part(self.cell.distribution, "means")()
        return {name: self.arrange(values) for name, values in zip(names, columns, strict=True)}

    @property
    def rejected(self) -> np.ndarray:
        """Return how many updates of each group were rejected (chain, group)."""
        return self.arrange(self.series.rejected)

    @property
    def x(self) -> np.ndarray | None:
        """Return the coordinates (chain, group, coordinate), if `keep` was "x"."""
        return None if self.draws is None else self.arrange(self.draws)

    @property
    def tau(self) -> dict[str, Time]:
        """Return the autocorrelation time of each quantity, in groups."""
        lags, short = self.summary["lags"], self.summary["lag_too_short"]
        found = self.summary["tau"].items()
        return {q: Time(*estimated(each), lags[q], q in short) for q, each in found}

    @property
    def rejection_rate(self) -> Estimated:
        """Return the fraction of updates that were rejected."""
        return estimated(self.summary["rejection_rate"])

    @property
    def evaluations(self) -> dict[str, int]:
        """Return the evaluations of the density and of the gradient in the recorded groups."""
        return self.summary["evaluations"]

    def to_arviz(self):
        """Return the chains as ArviZ has them: InferenceData; from ArviZ 1 on, an xarray.DataTree.

        Needs the extra `arviz`: pip install 'nrevu[arviz]'.
        """
        from nrevu.results.inference_data import for_arviz, inference_data
        from nrevu.results.provenance import provenance

        about = {"digest": self.digest, "name": self.cell.name, "config": config(self.cell)}
        meta = about | {"provenance": provenance()}
        return for_arviz(inference_data(self.cell, self.series, meta, self.draws))

    def arrange(self, values: np.ndarray) -> np.ndarray:
        """Return (chain, group, ...) of values that lie chain after chain."""
        return by_chain(values, self.series.lengths)

    def __repr__(self) -> str:
        from nrevu.analysis.result_text import as_text

        return as_text(self.summary)


def estimated(entry: dict[str, float | None]) -> Estimated:
    """Return an entry of a summary as numbers, nan where there is none."""
    value, se = (np.nan if number is None else number for number in (entry["value"], entry["se"]))
    return Estimated(value, se)
