"""Where the CPU time of a run went: sampling, analysis, figures, starting processes.

In: the last line of each step's log. Out: CPU seconds by kind, and a sentence that compares them
with wall time and cores.
"""

import json
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

Spent = defaultdict[str, float]  # CPU seconds by kind
MARK = "spent "  # begins the line
# Sampling is all that kernels do: also the settling of chains that start from no exact draw.
KINDS = ("sampling", "compiling", "analysis", "figures", "report")


@contextmanager
def count_cpu(spent: Spent, kind: str) -> Iterator[None]:
    """Add the CPU seconds of a block to a kind."""
    started = time.process_time()
    yield
    spent[kind] += time.process_time() - started


def summary_line(spent: Mapping[str, float]) -> str:
    """Return the last line of a step's log: CPU seconds by kind, and of its whole process."""
    return MARK + json.dumps({**spent, "process": time.process_time()})


def read_logs(logs: Iterable[Path], since: float) -> Spent:
    """Return the sums over logs written since a time, with the number of processes."""
    total: Spent = defaultdict(float)
    for log in logs:
        try:
            last = log.read_text(errors="replace").rstrip().rpartition("\n")[2]
            if log.stat().st_mtime >= since and last.startswith(MARK):
                for kind, seconds in json.loads(last.removeprefix(MARK)).items():
                    total[kind] += seconds
                total["processes"] += 1
        except (OSError, ValueError):
            continue
    return total


def describe(spent: Mapping[str, float], wall: float, cores: int | None, main: float) -> str:
    """Return where the time went as a sentence; `main` is the CPU time of the main process."""
    parts = {kind: spent.get(kind, 0.0) for kind in KINDS}
    start_up = spent.get("process", 0.0) - sum(parts.values())
    parts[f"start-up of {spent.get('processes', 0):.0f} processes"] = start_up
    parts["Snakemake"] = main
    total = sum(parts.values())
    words = ", ".join(f"{name} {value:.0f}" for name, value in parts.items() if value >= 0.5)
    text = f"CPU seconds: {words}; in all {total:.0f}, {wall:.0f} s"
    if not cores:
        return text
    idle = max(0.0, 1 - total / (wall * cores))
    return f"{text} on {cores} core{'s' if cores > 1 else ''} ({idle:.0%} idle)"
