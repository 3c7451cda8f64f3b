"""Where the time of a run went."""

import os
import time
from collections import defaultdict

from nrevu.pipeline import cpu_time


def test_steps_say_what_they_spent_and_it_is_summed(tmp_path):
    spent = defaultdict(float)
    with cpu_time.count_cpu(spent, "analysis"):
        started = time.process_time()
        while time.process_time() - started < 0.05:
            pass
    assert 0.05 <= spent["analysis"] < 1
    for name in ("one", "two", "old"):
        (tmp_path / name).write_text(f"sampled\n{cpu_time.summary_line({'sampling': 2.0})}\n")
    os.utime(tmp_path / "old", (1, 1))
    (tmp_path / "failed").write_text("sampled\nValueError: no\n")
    (tmp_path / "garbled").write_text("spent {")
    total = cpu_time.read_logs([*tmp_path.iterdir(), tmp_path / "none"], since=100.0)
    assert total["sampling"] == 4.0 and total["processes"] == 2 and total["process"] > 0


def test_time_in_words():
    spent = {"sampling": 80.0, "figures": 10.0, "process": 95.0, "processes": 7}
    text = cpu_time.describe(spent, wall=60.0, cores=2, main=3.0)
    assert "sampling 80, figures 10, start-up of 7 processes 5, Snakemake 3" in text
    assert "in all 98, 60 s on 2 cores (18% idle)" in text and "analysis" not in text
    assert cpu_time.describe(spent, 60.0, None, 3.0).endswith("in all 98, 60 s")
