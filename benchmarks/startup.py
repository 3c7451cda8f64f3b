"""How long you wait for a command: help, and one small run once it is compiled.

In: number of rounds. Out: wall and CPU seconds of each command, in turns; the minimum counts.
"""

import subprocess
import sys
from typing import Any

from benchmarks.child import ROOT, cpu
from benchmarks.race import least, race
from benchmarks.sizes import Sizes
from benchmarks.target import Target

COMMANDS = {
    "python -c pass": ["-c", "pass"],
    "nrevu --help": ["-m", "nrevu", "--help"],
    "nrevu run size=smoke": ["-m", "nrevu", "run", "size=smoke"],
}


def measure(rounds: int, sizes: Sizes) -> dict[str, Any]:
    """Return what was measured, in plain data."""
    calls = {
        name: lambda arguments=arguments: start(arguments) for name, arguments in COMMANDS.items()
    }
    times = race(calls, min(rounds, 15), clock=cpu)
    best = {clock: {n: least(times, n, clock) for n in calls} for clock in ("wall", "cpu")}
    return {**best, "times": times}


def start(arguments: list[str]) -> None:
    """Run Python with some arguments and wait for its end."""
    subprocess.run([sys.executable, *arguments], cwd=ROOT, check=True, capture_output=True)


def lines(result: dict[str, Any]) -> list[str]:
    """Return a line for each command."""
    output = [f"{'':24}{'wall':>10}{'CPU':>10}"]
    for name, wall in result["wall"].items():
        output.append(f"{name:24}{wall:8.3f} s{result['cpu'][name]:8.3f} s")
    return output


def targets(result: dict[str, Any]) -> list[Target]:
    """Return how long commands may take."""
    wall = result["wall"]
    return [
        Target("nrevu --help, wall time", wall["nrevu --help"], 0.3, unit="s"),
        Target("nrevu run, small and compiled, wall time", wall["nrevu run size=smoke"], 1.5,
               unit="s"),
    ]  # fmt: skip
