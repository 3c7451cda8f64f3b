"""The panels of the figures, each a function of axes and of the numbers of one part."""

from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes

from benchmarks.entrants import ALONE, BLACKJAX, BLACKJAX_ONE, NUMPY, OURS
from benchmarks.kernels import PROGRAM
from benchmarks.settings import SETTINGS
from nrevu.figures._style import COLOURS, DASHES, MARKERS

LABELS = {
    OURS: "nrevu",
    NUMPY: "numpy, {chains} chains",
    BLACKJAX: "BlackJAX, {chains} chains",
    BLACKJAX_ONE: "BlackJAX, 1 chain",
    PROGRAM: "the paper's programs",
    ALONE: "nrevu, one chain at a time",
}


def kernels(axes: Axes, result: dict[str, Any]) -> None:
    """Show ns per update: a row for each setting, and a bar for its normals alone."""
    rows = {setting.key: -index for index, setting in enumerate(SETTINGS)}
    for index, (name, text) in enumerate(LABELS.items()):
        found = [(ns[name], rows[key]) for key, ns in result["ns"].items() if name in ns]
        if found:
            look = {"marker": MARKERS[index], "color": COLOURS[index % len(COLOURS)]}
            look |= {"markerfacecolor": "none"} if index > 2 else {}
            label = text.format(chains=f"{result['chains']:,}")
            axes.plot(*zip(*found, strict=True), ls="", ms=7, label=label, **look)
    floors = [s.cell.distribution.dim * result["normal_ns"] for s in SETTINGS]
    axes.plot(floors, list(rows.values()), ls="", marker="|", ms=16, color="#555555",
              label="the normals alone")  # fmt: skip
    axes.set_yticks(list(rows.values()), [setting.title for setting in SETTINGS])
    axes.set_xscale("log")
    axes.set_xlabel("CPU time of an update (ns)")
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))


def curves(axes: Axes, title: str, lines: Mapping[str, tuple[list, list]], x: str, y: str) -> None:
    """Draw lines on logarithmic axes, each with its marker and dash pattern."""
    axes.set_title(title)
    for index, (label, (xs, ys)) in enumerate(lines.items()):
        style = {"marker": MARKERS[index], "ls": DASHES[index], "color": COLOURS[index]}
        axes.plot(xs, ys, label=label, ms=5, **style)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    if len(lines) > 1:
        axes.legend(fontsize=8)


def by_dimension(result: dict[str, Any], each: bool) -> dict[str, tuple[list, list]]:
    """Return the lines of ns per update, or per update and coordinate."""
    titles = {setting.key: setting.title.rpartition(",")[0] for setting in SETTINGS}
    lines = {}
    for key, ns in result["ns"].items():
        dims = [int(dim) for dim in ns]
        times = [time / int(dim) if each else time for dim, time in ns.items()]
        lines[titles[key]] = (dims, times)
    return lines


def per_update(axes: Axes, result: dict[str, Any]) -> None:
    """Show what an update costs in more dimensions."""
    lines = by_dimension(result, False)
    curves(axes, "An update", lines, "dimension", "CPU time of an update (ns)")


def per_coordinate(axes: Axes, result: dict[str, Any]) -> None:
    """Show the same over the dimension."""
    y = "CPU time per coordinate (ns)"
    curves(axes, "An update, per coordinate", by_dimension(result, True), "dimension", y)


def column(found: Mapping[str, Mapping[str, float]], name: str) -> tuple[list, list]:
    """Return a line of one of the numbers, over the numbers that they go with."""
    return [int(x) for x in found], [each[name] for each in found.values()]


def planning(axes: Axes, result: dict[str, Any]) -> None:
    """Show how long it takes until cells can run."""
    names = {"expand": "expansion", "plan": "plan", "status": "status", "files": "files for jobs",
             "dry_run": "Snakemake's dry run"}  # fmt: skip
    lines = {text: column(result["planned"], name) for name, text in names.items()}
    curves(axes, "Before cells run", lines, "cells", "CPU time (s)")


def planning_memory(axes: Axes, result: dict[str, Any]) -> None:
    """Show how much memory that takes."""
    names = {"dry_run_peak": "Snakemake's dry run", "peak": "expansion to files"}
    lines = {text: column(result["planned"], name) for name, text in names.items()}
    curves(axes, "Memory before cells run", lines, "cells", "peak memory (MB)")
    axes.set_yscale("linear")
    axes.set_ylim(bottom=0)


def orchestration(axes: Axes, result: dict[str, Any]) -> None:
    """Show which share of a sweep's CPU time is not spent on updates."""
    xs, shares = column(result["run"], "share")
    y = "CPU time not spent on updates (%)"
    lines = {"": (xs, [100 * share for share in shares])}
    curves(axes, "A sweep of tiny cells", lines, "cells of about 20 ms", y)
    axes.set_yscale("linear")
    axes.set_ylim(0, 100)


def length_time(axes: Axes, result: dict[str, Any]) -> None:
    """Show what an update costs in longer runs, with and without all else the process does."""
    runs = result["runs"]
    xs, whole = column(runs, "cpu")
    whole = [seconds / (10 * groups) * 1e9 for groups, seconds in zip(xs, whole, strict=True)]
    lines = {"whole process": (xs, whole), "kernel alone": column(runs, "ns")}
    y = "CPU time of an update (ns)"
    curves(axes, "One run: time", lines, "groups of 10 updates", y)


def length_memory(axes: Axes, result: dict[str, Any]) -> None:
    """Show how memory grows with a run, and the size of the recorded rows."""
    groups, peaks = column(result["runs"], "peak")
    row, xs = result["row_bytes"], [count / 1e6 for count in groups]
    lines = {
        f"measured: {result['growth']:.0f} bytes per group": (xs, [p - peaks[0] for p in peaks]),
        f"recorded rows: {row} bytes per group": (xs, [row * x for x in xs]),
    }
    y = "peak memory above the shortest run's (MB)"
    curves(axes, "One run: memory", lines, "million groups", y)
    axes.set_xscale("linear")
    axes.set_yscale("linear")
    axes.set_ylim(bottom=0)


def speedup(axes: Axes, result: dict[str, Any]) -> None:
    """Show how much faster a sweep is on more cores."""
    cores = [int(count) for count in result["speedup"]]
    lines = {"measured": (cores, list(result["speedup"].values())), "ideal": (cores, cores)}
    curves(axes, "A sweep on more cores", lines, "cores", "times as fast as on one core")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter("{x:g}")
        axis.set_minor_formatter("")
    axes.set_xscale("linear")
    axes.set_yscale("linear")
    axes.set_xticks(cores)
    axes.set_ylim(bottom=0)
