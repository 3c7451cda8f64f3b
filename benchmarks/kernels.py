"""ns per update of each kernel, of the normals alone, numpy, BlackJAX and the paper's programs.

In: number of rounds, and sizes. Out: the times of all rounds, ns per update by setting and
implementation, a table of them and the targets. All run in one process on one core, in turns.
"""

from typing import Any

from benchmarks import programs
from benchmarks.entrants import ALONE, BLACKJAX, BLACKJAX_ONE, NUMPY, OURS, entrants
from benchmarks.ours import BUFFER, normals_call
from benchmarks.race import Times, least, pinned, race
from benchmarks.settings import SETTINGS
from benchmarks.sizes import Sizes
from benchmarks.target import Target

PROGRAM = "program"
NORMALS = 250 * BUFFER
PEERS = (NUMPY, BLACKJAX, BLACKJAX_ONE, PROGRAM)
MISSING = {
    BLACKJAX: "BlackJAX is left out, being not installed: pip install -e '.[peers]'",
    PROGRAM: f"the paper's programs are left out, {programs.VARIABLE} being not set: docs/speed.md",
}


def measure(rounds: int, sizes: Sizes) -> dict[str, Any]:
    """Return what was measured, in plain data."""
    with pinned():
        calls = {"normals": normals_call(NORMALS), "plain": normals_call(NORMALS, plainly=True)}
        counts = dict.fromkeys(calls, NORMALS)
        for setting in SETTINGS:
            for name, (call, updates) in entrants(setting, sizes).items():
                calls[f"{setting.key}/{name}"], counts[f"{setting.key}/{name}"] = call, updates
            calls |= programs.calls(setting.key)
        times = race(calls, rounds)
    return {
        "normal_ns": least(times, "normals") / NORMALS * 1e9,
        "plain_ns": least(times, "plain") / NORMALS * 1e9,
        "ns": {setting.key: nanoseconds(setting.key, times, counts) for setting in SETTINGS},
        "chains": sizes.chains,
        "updates": counts,
        "times": times,
    }


def nanoseconds(key: str, times: Times, counts: dict[str, int]) -> dict[str, float]:
    """Return the ns per update of a setting, by implementation."""
    found = {}
    for name, updates in counts.items():
        setting, _, implementation = name.partition("/")
        if setting == key:
            found[implementation] = least(times, name) / updates * 1e9
    by_program = programs.per_update(times, key)
    return found if by_program is None else found | {PROGRAM: by_program * 1e9}


def lines(result: dict[str, Any]) -> list[str]:
    """Return a table of ns per update, and how many times as long others take."""
    chains = result["chains"]
    heads = (f"numpy, {chains} chains", f"BlackJAX, {chains}", BLACKJAX_ONE, "the paper's")
    output = [
        f"one normal takes {result['normal_ns']:.2f} ns; x floor: times the normals of an update",
        f"(a plain ziggurat of 256 layers, with which targets were set: {result['plain_ns']:.2f})",
        f"{'ns per update (x as long)':34}{'nrevu':>7}{'x floor':>9}{'per leapfrog':>14}"
        + "".join(f"{head:>20}" for head in heads),
    ]
    for setting in SETTINGS:
        ns, dim = result["ns"][setting.key], setting.cell.distribution.dim
        floor = ns[OURS] / (dim * result["normal_ns"])
        leap = f"{ns[OURS] / setting.steps:.1f}" if setting.steps else ""
        row = f"{setting.title:34}{ns[OURS]:7.1f}{floor:9.2f}{leap:>14}"
        output.append(row + "".join(f"{with_ratio(ns, peer):>20}" for peer in PEERS))
    return [*output, *left_out(result)]


def with_ratio(ns: dict[str, float], peer: str) -> str:
    """Return '484 (3.6 x)', or a dash."""
    return f"{ns[peer]:.0f} ({ns[peer] / ns[OURS]:.1f} x)" if peer in ns else "-"


def left_out(result: dict[str, Any]) -> list[str]:
    """Return how to have what was not measured."""
    there = {name for ns in result["ns"].values() for name in ns}
    return [message for name, message in MISSING.items() if name not in there]


def targets(result: dict[str, Any]) -> list[Target]:
    """Return what the kernels were to reach."""
    ns, normal, plain = result["ns"], result["normal_ns"], result["plain_ns"]
    metropolis, persistent = ns["metropolis40"][OURS] / 40, ns["persistent32"][OURS] / 32
    leap = ns["hmc32"][OURS] / 16 / ns["persistent32"][OURS]
    lanes = {key: each[OURS] / each[ALONE] for key, each in ns.items() if ALONE in each}
    worst = max(lanes, key=lanes.get)
    return [
        Target("Metropolis, 40-D: over the floor", metropolis / normal, 1.35),
        Target("Metropolis, 40-D: over a plain ziggurat's floor", metropolis / plain, 1.35),
        Target("persistent Langevin, 32-D: over the floor", persistent / normal, 1.5),
        Target("persistent Langevin, 32-D: over a plain one's", persistent / plain, 1.5),
        slowest(ns, NUMPY, f"numpy over ours, {result['chains']} chains, worst setting", 3.0),
        slowest(ns, BLACKJAX, f"BlackJAX over ours, {result['chains']} chains, worst setting", 6.0),
        Target("HMC, a leapfrog step over a persistent Langevin update", leap, 0.35),
        Target("mixed, over one chain at a time, worst setting", lanes[worst], 0.5, note=worst),
    ]  # fmt: skip


def slowest(ns: dict[str, dict[str, float]], peer: str, what: str, limit: float) -> Target:
    """Return the target for the setting in which a peer comes closest to us."""
    ratios = {key: each[peer] / each[OURS] for key, each in ns.items() if peer in each}
    worst = min(ratios, key=ratios.get, default=None)
    return Target(what, ratios.get(worst), limit, at_least=True, note=worst or "")
