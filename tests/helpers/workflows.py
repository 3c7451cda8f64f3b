"""What tests of the workflow share: a small sweep, and what a run leaves behind."""

import hashlib
import time

import pandas as pd

SWEEP = """\
title: a small sweep
cell:
  distribution: gaussian
  distribution.dim: 3
  schedule.group: 5
sweep:
  - u: standard
    method.stepsize: &steps [1.0, 2.0, 3.0]
  - u: nonreversible
    u.delta: 0.3
    method.stepsize: *steps
confirm: {best: tau.log_prob, for_each: [u], cells: 2, longer: 2}
claims:
  - text: gain
    published: 1.1
    quantity: tau.log_prob
    of: {u: standard}
    over: {u: nonreversible}
trace: {best: tau.log_prob, for_each: u.delta}
figures:
  figure:
    kind: lines
    x: method.stepsize
    panels: [tau.coordinate, tau.log_prob]
    line: u.delta
    colours: ["#000000", "#0072B2"]
  mechanism:
    kind: lines
    x: method.stepsize
    panels: [tau.log_prob, trace]
    rows: u.delta
"""
WITHOUT_FIGURES = SWEEP[: SWEEP.index("trace:")]  # where they are not what is tested

# No figures and no report, where they are not what is tested.
MADE, TABLE = "results/smoke/mine/comparison.csv", "results/smoke/mine/table.csv"


def project(folder, text=SWEEP):
    """Write a sweep of one's own into an empty folder."""
    folder.mkdir(exist_ok=True)
    (folder / "mine.yaml").write_text(text)
    return folder


def series(folder):
    """Return the bytes of each cell's numbers, by digest; provenance and times left out."""
    found = {}
    for path in sorted((folder / "results/cells").glob("*.parquet")):
        frame = pd.read_parquet(path)
        numbers = b"".join(frame[name].to_numpy().tobytes() for name in frame)
        found[path.stem] = hashlib.sha256(numbers).hexdigest()
    return found


def succeeded(process):
    assert process.returncode == 0, process.stderr
    return process


def wait_for(condition, process):
    """Wait until something is so while a process runs."""
    deadline = time.monotonic() + 240
    while not condition() and time.monotonic() < deadline:
        if process.poll() is not None:
            raise AssertionError(process.stderr.read() if process.stderr else "it ended too early")
        time.sleep(0.05)
