"""What of a plan is done, what is to run and why, and about how long that takes.

In: a Plan and the cells' files on disk. Out: for each experiment its cells done and to run, by
reason: new, settings changed, code changed, damaged; CPU seconds and bytes to come. Times are those
of like cells that ran here before, or the model's, for this machine's speed.
"""

import statistics
import time
import timeit
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from nrevu.cells.cell import Cell, config, flatten, from_config, parameters
from nrevu.core.user_files import KINDS
from nrevu.errors import Mistake
from nrevu.experiments.checks import varying
from nrevu.pipeline.cost_model import REPORT, confirm_costs, cost, disk_space, overhead
from nrevu.pipeline.plan import Again, Plan
from nrevu.results import series_files

NORMALS = 0.0135  # seconds that numpy took for 2^20 normals on the machine of the cost model
TELLING = 0.05  # CPU seconds that a cell must have taken to tell how fast a machine is
CODE = tuple(f"{kind}.{name}" for kind in KINDS for name in ("source", "file"))


@dataclass(frozen=True)
class Share:
    """One experiment's share of a plan."""

    name: str
    cells: int
    done: int
    reasons: Mapping[str, int]  # how many cells are to run, and why
    seconds: float  # of CPU time to come, for cells, confirmation and all that follows
    bytes: int  # of disk to come


def status(plan: Plan) -> list[Share]:
    """Return the share of each experiment; a cell of several counts with the first."""
    stored = series_files.read_metas(plan.cell_folder)
    seen: set[str] = set()
    like = measured_times(stored.values())
    factor = speed_factor(stored.values(), plan)
    shares = []
    for name, experiment in plan.experiments.items():
        own = [cell for cell in experiment.cells if cell.digest not in seen]
        seen |= {cell.digest for cell in own}
        why = reasons(own, stored)
        left = [cell for cell in own if cell.digest in why]
        seconds = sum(estimate(cell, like, factor, plan) for cell in left)
        again = left_to_confirm(plan, name, bool(left))
        costs = confirm_costs(experiment, plan.speeds)
        seconds += factor * sum(costs[run.round - 1] for run in again)
        waiting = [b for b in plan.batches[name].values() if any(c.digest in why for c in b)]
        seconds += factor * overhead(experiment, waiting, len(plan.confirms[name]), plan.speeds)
        rounds = experiment.confirm.rounds if experiment.confirm else []
        room = disk_space(experiment, left, sum(rounds[run.round - 1][1] for run in again))
        counts = Counter(why.values())
        shares.append(Share(name, len(own), len(own) - len(left), counts, seconds, room))
    return shares


def left_to_confirm(plan: Plan, name: str, redo: bool) -> list[Again]:
    """Return the confirming runs to come: all if cells are to run, else of batches not there."""
    folder = plan.root / plan.label / name / "confirm"
    batches = plan.confirms[name].items()
    left = [again for batch, again in batches if redo or not (folder / f"{batch}.json").exists()]
    return [run for again in left for run in again]


def total_seconds(shares: Iterable[Share]) -> float:
    """Return the CPU seconds to come in all, the report included if there is anything to do."""
    total = sum(share.seconds for share in shares)
    return total + REPORT if total else 0.0


def reasons(cells: list[Cell], stored: Mapping[str, dict[str, Any] | None]) -> dict[str, str]:
    """Return why each cell that is not there has to run, by digest.

    A cell that differs from one on disk only in settings that the sweep does not vary was changed.
    """
    missing = [cell for cell in cells if not stored.get(cell.digest)]
    wanted = {cell.digest for cell in cells}
    leftover = [meta for digest, meta in stored.items() if meta and digest not in wanted]
    flat = {cell.digest: parameters(cell) for cell in cells if leftover}
    keys = ("distribution", "method", "seed", *varying(list(flat.values())))
    codes = {repr(sorted_config(meta["config"])) for meta in leftover}
    alike = {tuple(flatten(meta["config"]).get(key) for key in keys) for meta in leftover}
    why = {}
    for cell in missing:
        if cell.digest in stored:
            why[cell.digest] = "damaged"
        elif repr(sorted_config(config(cell))) in codes:
            why[cell.digest] = "code changed"
        else:
            own = tuple(flat[cell.digest].get(key) for key in keys) if leftover else None
            why[cell.digest] = "settings changed" if own in alike else "new"
    return why


def sorted_config(settings: Mapping[str, Any]) -> list:
    """Return a cell's config in order, without what stands for the code of a user's file."""
    return sorted((k, v) for k, v in flatten(settings).items() if k not in CODE)


def kind(settings: Mapping[str, Any]) -> str:
    """Return what decides how long an update takes, as text."""
    method = {k: settings["method"].get(k) for k in ("name", "L", "jitter")}
    return repr((settings["distribution"], method, settings["u"]["name"]))


def measured_times(stored: Iterable[dict[str, Any] | None]) -> dict[str, float]:
    """Return the CPU seconds of an update for each kind of cell that ran here before."""
    found: dict[str, list[float]] = {}
    for meta in (m for m in stored if m):
        run, group = meta["config"]["run"], meta["config"]["schedule"]["group"]
        updates = (run["groups"] + run["burn_in"] * run["chains"]) * group
        found.setdefault(kind(meta["config"]), []).append(meta["cpu_seconds"] / updates)
    return {key: statistics.median(values) for key, values in found.items()}


def estimate(cell: Cell, like: Mapping[str, float], factor: float, plan: Plan) -> float:
    """Return about how many CPU seconds a cell takes here."""
    each = like.get(kind(config(cell)))
    return cell.updates * each if each is not None else factor * cost(cell, plan.speeds)


def speed_factor(stored: Iterable[dict[str, Any] | None], plan: Plan) -> float:
    """Return how many times slower this machine is than that of the cost model.

    By the cells that took some time here; where there are none, by how fast numpy makes normals.
    """
    ratios = []
    for meta in (m for m in stored if m and m["cpu_seconds"] > TELLING):
        try:
            ratios.append(meta["cpu_seconds"] / cost(from_config(meta["config"]), plan.speeds))
        except Mistake:  # a user's file that is gone
            continue
        if len(ratios) == 200:
            break
    if ratios:
        return statistics.median(ratios)
    rng = np.random.default_rng(1)
    make, clock = (lambda: rng.standard_normal(1 << 20)), time.process_time
    return min(timeit.repeat(make, timer=clock, number=1, repeat=5)) / NORMALS
