"""ns per update of the kernels of this checkout and of another one, and their ratio.

In: number of rounds, sizes, and the folder of a checkout of another version. Out: the times of all
calls, a table of the least and their ratios, and the targets. One process cannot import two
versions, so each is timed by processes of its own, in turns.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.child import ROOT
from benchmarks.race import pinned
from benchmarks.sizes import Sizes
from benchmarks.target import Target

CHILD = Path(__file__).with_name("versions_child.py")
HOW = "left out: name a checkout of another version with --against FOLDER"
COMMON = "run.burn_in=0 estimate.max_lag=0"
FEWEST = 200  # groups: some of each chain
MIXED = "distribution=mixed run.chains=40"
MIXED_LANGEVIN = f"{MIXED} method=persistent_langevin method.stepsize=0.03 method.scaling=0"
NETWORK = "distribution=network run.chains=4"
# By setting: KEY=VALUE words, and how many groups take some milliseconds, or tens of them.
SETTINGS = {
    "Metropolis, 40-D Gaussian": (
        "method.stepsize=1.8 u=nonreversible u.delta=0.3 schedule.group=40 run.chains=8",
        8000,
    ),
    "the same, standard u": ("method.stepsize=1.8 schedule.group=40 run.chains=8", 8000),
    "Langevin, 40-D Gaussian": (
        "method=langevin u=nonreversible u.delta=0.7 schedule.group=40 run.chains=8",
        8000,
    ),
    "persistent Langevin, 32-D pairs": (
        "distribution=pairs method=persistent_langevin u=nonreversible u.delta=0.03"
        " schedule.group=31 run.chains=8",
        8000,
    ),
    "HMC with L = 16, 32-D pairs": (
        "distribution=pairs method=hmc method.L=16 method.stepsize=0.07 method.jitter=30"
        " schedule.group=2 run.chains=8",
        20_000,
    ),
    "persistent Langevin, mixed": (
        f"{MIXED_LANGEVIN} method.alpha=0.995 method.alpha_per=update u=nonreversible u.delta=0.01"
        " schedule.group=60 schedule.gibbs_every=10",
        10_000,
    ),
    "HMC with L = 40, mixed": (
        f"{MIXED} method=hmc method.stepsize=0.035 method.L=40 method.jitter=10 schedule.group=3"
        " schedule.gibbs_every=1",
        10_000,
    ),
    "persistent Langevin, network": (
        f"{NETWORK} method=persistent_langevin u=nonreversible u.delta=0.03 schedule.group=40"
        " schedule.gibbs_every=4",
        80,
    ),
    "HMC with L = 20, network": (
        f"{NETWORK} method=hmc method.L=20 schedule.group=2 schedule.gibbs_every=1",
        80,
    ),
}


def measure(rounds: int, sizes: Sizes, against: Path | None = None) -> dict[str, Any]:
    """Return what was measured, in plain data; nothing, if there is no other version."""
    if against is None:
        return {}
    folders = {"this": ROOT, "other": against.resolve()}
    times: dict[str, dict[str, list[float]]] = {
        key: {name: [] for name in folders} for key in SETTINGS
    }
    processes = min(rounds, sizes.processes)
    with pinned():
        for number in range(processes):
            for name in list(folders)[:: 1 if number % 2 else -1]:  # neither is always the first
                found = run(folders[name], max(1, rounds // processes), sizes.share)
                for key, ns in found.items():
                    times[key][name] += ns
    least = {key: {name: min(ns) for name, ns in each.items()} for key, each in times.items()}
    ratios = {key: each["this"] / each["other"] for key, each in least.items()}
    return {"against": str(folders["other"]), "ns": least, "ratios": ratios, "times": times}


def run(folder: Path, calls: int, share: float) -> dict[str, list[float]]:
    """Return the ns per update of each call, by setting, from a process with the nrevu there."""
    settings = {key: words(key, share) for key in SETTINGS}
    command = [sys.executable, "-P", str(CHILD), str(calls), json.dumps(settings)]
    env = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    if done.returncode:
        said = "\n".join(done.stderr.splitlines()[-15:])
        raise RuntimeError(f"timing {folder} ended with code {done.returncode}:\n{said}")
    told = json.loads(done.stdout)
    if not Path(told["file"]).is_relative_to(folder):
        raise RuntimeError(f"{folder} was to be timed, but {told['file']} was imported")
    return told["ns"]


def words(key: str, share: float) -> str:
    """Return the words of a setting, with a share of its groups, but no fewer than FEWEST."""
    given, groups = SETTINGS[key]
    return f"{given} {COMMON} run.groups={max(min(groups, FEWEST), round(share * groups))}"


def lines(result: dict[str, Any]) -> list[str]:
    """Return a table: a line for each setting, and the mean of the ratios."""
    if not result:
        return [HOW]
    output = [f"{'ns per update':34}{'this':>12}{'other':>12}{'ratio':>9}"]
    for key, ns in result["ns"].items():
        row = f"{key:34}{ns['this']:12.1f}{ns['other']:12.1f}{result['ratios'][key]:9.3f}"
        output.append(row)
    output.append(f"{'mean of the ratios':58}{mean(result):9.3f}")
    return [*output, f"other: {result['against']}"]


def mean(result: dict[str, Any]) -> float:
    """Return the mean of the ratios."""
    return sum(result["ratios"].values()) / len(result["ratios"])


def targets(result: dict[str, Any]) -> list[Target]:
    """Return how much slower this version may be than the other one."""
    if not result:
        return []
    worst = max(result["ratios"], key=result["ratios"].get)
    slowest = result["ratios"][worst]
    return [
        Target("this version over the other, worst setting", slowest, 1.03, note=worst),
        Target("this version over the other, mean of the settings", mean(result), 1.0),
    ]
