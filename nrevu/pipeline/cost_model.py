"""The cost model: CPU seconds and bytes of work, estimated before it is done.

In: cells, and the measured speed of distributions from users' files. Out: about how long a cell
takes on a core of 2021, what the workflow adds to it, and how much disk its series takes. The
estimates decide which cells share a batch, so speeds are measured once, by the process that plans,
and stored in results/speeds.json: the next plan has the same batches.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from nrevu.cells.cell import Cell
from nrevu.core.contracts import WALKS, Method, class_of, counts_type, has, part
from nrevu.core.sampler import Sampler
from nrevu.core.sources import source_hash
from nrevu.core.user_files import is_user_file
from nrevu.experiments.experiment import Experiment
from nrevu.files import read_json, write_atomically

JITTER = 80  # nanoseconds to draw a trajectory's stepsize
# CPU seconds that each job of the workflow adds to the cells' own: mostly to start Python.
SAMPLE, CONFIRM, FIGURE, TABLE, REPORT = 3.0, 3.0, 6.0, 1.5, 12.0
META = 1600  # bytes of a cell's file that are not its series


def speed_key(distribution: Any) -> str:
    """Return the name of a distribution's measured speed; none if its speed is not measured."""
    if has(distribution, "nanoseconds") or not is_user_file(distribution):
        return ""
    return f"{source_hash(class_of(distribution))}-{distribution.dim}"


def user_sources(sampler: Sampler) -> str:
    """Return a name for the code of a user's method and rule for u; none if both are built in."""
    classes = [class_of(each) for each in sampler[1:] if is_user_file(each)]
    names = [f"{cls.__name__}-{source_hash(cls)}" for cls in classes]
    return "-".join(names)


def stored_speeds(root: Path) -> dict[str, float]:
    """Return the nanoseconds of an evaluation that were measured before, by `speed_key`."""
    try:
        return {key: float(value) for key, value in read_json(root / "speeds.json").items()}
    except (OSError, ValueError, AttributeError, TypeError):
        return {}


def measure_speeds(cells: Iterable[Cell], root: Path, announce: Callable) -> dict[str, float]:
    """Return the speeds of users' distributions, measuring new ones.

    A function that cannot be compiled is found here, before anything runs; those of users' methods
    and rules for u too, which are stored with a speed of 0.
    """
    speeds, cells = stored_speeds(root), list(cells)
    distributions = {speed_key(cell.distribution): cell.distribution for cell in cells}
    new = {key: each for key, each in distributions.items() if key and key not in speeds}
    for key, distribution in new.items():
        from nrevu.core.trials import evaluation_seconds

        announce(f"compiling {type(distribution).__name__}, to see how fast it is")
        function = "gradient" if has(distribution, "gradient") else "energy"
        speeds[key] = 1e9 * evaluation_seconds(distribution, function)
    samplers = {user_sources(cell.sampler): cell.sampler for cell in cells}
    untried = {key: each for key, each in samplers.items() if key and key not in speeds}
    for key, sampler in untried.items():
        from nrevu.core.trials import find_uncompilable

        announce(f"compiling {', '.join(type(each).__name__ for each in sampler[1:])}")
        mistake = find_uncompilable(sampler)
        if mistake:
            raise mistake
        speeds[key] = 0.0
    if new or untried:
        write_atomically(root / "speeds.json", json.dumps(speeds, indent=1))
    return speeds


def evaluation(distribution: Any, speeds: Mapping[str, float]) -> float:
    """Return about how many nanoseconds an evaluation of the gradient takes."""
    return speeds.get(speed_key(distribution)) or part(distribution, "nanoseconds")


def cost(cell: Cell, speeds: Mapping[str, float] | None = None) -> float:
    """Return about how many CPU seconds a cell takes."""
    steps = part(cell.method, "L", Method)
    ns = 20 + 2.0 * cell.distribution.dim + JITTER * cell.sampler.settings["varies"]
    ns += evaluation(cell.distribution, speeds or {}) * steps
    return cell.updates * ns * 1e-9 + 0.01


def settling(cell: Cell, speeds: Mapping[str, float] | None = None) -> float:
    """Return about how many CPU seconds a process spends on starts, once for all its cells."""
    _, steps, trajectories = part(cell.distribution, "settling")
    each = evaluation(cell.distribution, speeds or {}) if steps else 0.0
    return 2 * WALKS * steps * trajectories * each * 1e-9  # as long again from state to state


def confirm_costs(experiment: Experiment, speeds: Mapping[str, float] | None = None) -> list[float]:
    """Return about how many CPU seconds it takes to run a cell again, in each round."""
    if not experiment.confirm:
        return []
    mean = sum(cost(cell, speeds) for cell in experiment.cells) / len(experiment.cells)
    return [mean * longer for _, longer in experiment.confirm.rounds]


def overhead(
    experiment: Experiment, batches: Iterable[tuple[Cell, ...]], confirming: int, speeds=None
) -> float:
    """Return about how many CPU seconds the workflow adds to some batches, two kinds of them."""
    jobs = [SAMPLE + settling(batch[0], speeds) for batch in batches]
    if not jobs:
        return 0.0
    drawn = FIGURE * len(experiment.figures) + TABLE * 3
    return sum(jobs) + confirming * CONFIRM + drawn


def disk_space(experiment: Experiment, cells: Iterable[Cell], longer: int) -> int:
    """Return about how many bytes the series of some cells take, and of runs to confirm.

    `longer` is how many times as long as a cell these runs are, together.
    """
    mean = sum(map(size_on_disk, experiment.cells)) / len(experiment.cells)
    return sum(map(size_on_disk, cells)) + int(longer * mean)


def size_on_disk(cell: Cell) -> int:
    """Return about how many bytes a cell's series takes."""
    counts = counts_type(cell.schedule.group).itemsize
    row = 3.25 * len(part(cell.distribution, "recorded")) + 0.6 * counts  # as they are packed
    return round(cell.run.groups * row) + META
