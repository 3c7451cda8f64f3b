"""How fast distributions from users' files are: measured once, and kept beside the results.

In: cells. Out: nanoseconds of an evaluation by `costs.speed_key`, in results/speeds.json. Only the
process that runs the workflow measures; its jobs read the file, so that all of them pack cells
into the same batches. A function that cannot be compiled is found here, before anything runs.
"""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from nrevu.cells.cell import Cell
from nrevu.core.contracts import has
from nrevu.core.user_files import is_user_file
from nrevu.files import write_atomically
from nrevu.pipeline.cost_model import speed_key


def known(root: Path) -> dict[str, float]:
    """Return the speeds that were measured before."""
    try:
        found = json.loads((root / "speeds.json").read_text())
    except (OSError, ValueError):
        return {}
    return {str(key): float(value) for key, value in found.items()}


def measured(cells: Iterable[Cell], root: Path, tell: Callable[[str], None]) -> dict[str, float]:
    """Return the speeds of the users' distributions among some cells, measuring new ones."""
    speeds = known(root)
    new = {}
    for cell in cells:
        own, key = cell.distribution, ""
        if is_user_file(own) and not has(own, "nanoseconds"):
            key = speed_key(own)
        if key and key not in speeds and key not in new:
            tell(f"compiling {type(own).__name__}, to see how fast it is")
            new[key] = measure(own)
    if new:
        write_atomically(root / "speeds.json", json.dumps(speeds | new, indent=1))
    return speeds | new


def measure(distribution: Any) -> float:
    """Return how many nanoseconds an evaluation takes, of the gradient if there is one."""
    from nrevu.core.binding import evaluation_seconds

    name = "gradient" if has(distribution, "gradient") else "energy"
    return 1e9 * evaluation_seconds(distribution, name)
