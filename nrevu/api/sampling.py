"""Runs one cell from Python: what `nrevu run` does, with the chains in memory.

In: a distribution, a method and a rule for u, each by name, as a mapping of settings, or an object
of a class, also of one that a notebook defines. Out: a Result. The numbers are bit for bit those of
`nrevu run` and of a workflow with the same settings.
"""

from __future__ import annotations

import sys
import threading
import time
from typing import Any, Literal

import numpy as np

from nrevu.analysis.result import summarise
from nrevu.api.result import Result
from nrevu.cells.cell import KINDS, Cell
from nrevu.cells.chains import NO_DRAWS, compile_kernel, steps
from nrevu.cells.chains import sample as run_chains
from nrevu.cells.series import Series
from nrevu.core.target import describe_target
from nrevu.core.user_files import user_errors
from nrevu.errors import check_known
from nrevu.experiments.settings import Setting, resolve

PLACE = "nrevu.sample"
SHOWN_AFTER = 2.0  # seconds of sampling before a progress bar appears
TICK = 0.1  # seconds between two looks at a run
BAR = 30  # characters


def sample(
    distribution: Any,
    method: Any = "metropolis",
    u: Any = "standard",
    *,
    group: int | None = None,
    groups: int | None = None,
    chains: int | None = None,
    burn_in: int | None = None,
    gibbs_every: int | None = None,
    seed: int | None = None,
    max_lag: int | None = None,
    mean: Literal["known", "pooled"] | None = None,
    keep: Literal["x"] | None = None,
    progress: bool = True,
) -> Result:
    """Run the chains of one cell and return what they recorded, with estimates.

    `distribution`, `method` and `u` are names, as in conf/; mappings, {"name": "hmc", "L": 8},
    whose other settings have their defaults; or objects of classes of yours. Of the others None
    means the default:

    group        updates in a recorded group: 40
    groups       recorded groups, over all chains together: 10,000
    chains       independent chains: 40
    burn_in      groups that each chain drops at its start: 25
    gibbs_every  updates between Gibbs scans; 0, none, unless the distribution needs them
    seed         with the settings it determines all random numbers: 1
    max_lag      autocorrelations at lags 1 to this are summed, in groups; 0: lags follow tau
    mean         "known": about true means where they are known; "pooled": about the chains' mean
    keep         "x": keep the coordinates at the end of each group too
    progress     show a progress bar if it takes longer than 2 seconds

        nrevu.sample("gaussian", u={"name": "nonreversible", "delta": 0.3})
        nrevu.sample(Banana(curvature=3), {"name": "hmc", "stepsize": 0.2, "L": 8}, keep="x")
    """
    if keep is not None:
        check_known("value", keep, ("x",), key="keep", place=PLACE)
    parts = {"distribution": distribution, "method": method, "u": u}
    given: dict[str, Any] = {"schedule.group": group, "schedule.gibbs_every": gibbs_every}
    given |= {"run.groups": groups, "run.chains": chains, "run.burn_in": burn_in}
    given |= {"seed": seed, "estimate.max_lag": max_lag, "estimate.mean": mean}
    settings = {k: v for k, v in parts.items() if isinstance(v, str | dict)}
    settings |= {key: plain(value) for key, value in given.items() if value is not None}
    objects = {key: parts[key] for key in KINDS if key not in settings}
    listed = [Setting(key, value, PLACE) for key, value in settings.items()]
    cell, estimate = resolve(listed, objects)
    draws = np.empty((cell.run.groups, cell.distribution.dim)) if keep else NO_DRAWS
    with user_errors(*cell.sampler):
        series = run_watched(cell, draws, progress and is_watched())
        summary = summarise(cell, series, estimate) | describe_target()
    return Result(cell, series, summary, draws if keep else None)


def plain(value: Any) -> Any:
    """Return a number of numpy as one of Python."""
    return value.item() if isinstance(value, np.generic) else value


def is_watched() -> bool:
    """Tell whether a person sees standard error: at a terminal or in a notebook."""
    return sys.stderr.isatty() or "ipykernel" in sys.modules


def run_watched(cell: Cell, draws: np.ndarray, shown: bool) -> Series:
    """Run the chains of a cell in a thread, so that Ctrl-C ends it, and show how far it is."""
    compile_kernel(cell)
    watch = np.zeros(2, np.int64)
    found: list[Any] = []

    def work() -> None:
        try:
            found.append(run_chains(cell, draws, watch))
        except BaseException as error:
            found.append(error)

    thread = threading.Thread(target=work, daemon=True)
    started, total = time.monotonic(), steps(cell)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(TICK)
            if shown and time.monotonic() - started > SHOWN_AFTER:
                show(watch[0] / total, time.monotonic() - started)
    except BaseException:  # Ctrl-C: the chains end after the group that they are in
        watch[1] = 1
        thread.join()
        raise
    finally:
        if shown and time.monotonic() - started > SHOWN_AFTER:
            sys.stderr.write("\r" + " " * (BAR + 40) + "\r")
    if isinstance(found[0], BaseException):
        raise found[0]
    return found[0]


def show(share: float, spent: float) -> None:
    """Write a progress bar over the last one."""
    done = "#" * round(BAR * share)
    left = f", {spent / share - spent:.0f} s left" if share > 0.01 else ""
    sys.stderr.write(f"\rnrevu: [{done:{BAR}}] {share:.0%}{left}      ")
    sys.stderr.flush()
