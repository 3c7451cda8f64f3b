"""One run in a folder at a time: whose lock it is, and what a killed run leaves."""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from nrevu.errors import Mistake
from nrevu.pipeline import locking, processes

HOST = socket.gethostname()


@pytest.mark.parametrize(
    "text, holder",
    [
        ("{host} {pid} {start:.2f}", "{pid}"),
        ("{host} {pid} {later:.2f}", None),  # its number is another's now
        ("{host} {pid} unknown", "{pid}"),
        ("{host} {pid} 123456", "{pid}"),  # in clock ticks, by an earlier version
        ("{host} {pid} None", "{pid}"),
        ("{host} 999999999 {start:.2f}", None),
        ("{host} 999999999 123456", None),
        ("{host} 99999999999 1.00", None),
        ("elsewhere {pid} 1", "{pid} on elsewhere (seen 0 s ago)"),
        ("", "? (seen 0 s ago)"),
        ("{host} -1 1.00", "? (seen 0 s ago)"),
        ("{host} x 1.00", "? (seen 0 s ago)"),
        ("\udcff", "? (seen 0 s ago)"),
    ],
)
def test_a_run_is_known_to_be_alive_or_dead(tmp_path, monkeypatch, text, holder):
    monkeypatch.chdir(tmp_path)
    locking.RUNNING.parent.mkdir()
    assert locking.running_process() is None
    pid = os.getppid()
    start = processes.start_time(pid)
    facts = {"host": HOST, "pid": pid, "start": start, "later": start + 60}
    locking.RUNNING.write_bytes(text.format(**facts).encode(errors="surrogateescape"))
    assert locking.running_process() == (holder and holder.format(**facts))
    old = time.time() - 700
    os.utime(locking.RUNNING, (old, old))
    known = holder == "{pid}"
    assert bool(locking.running_process()) == known  # whoever is not here is dead when silent


HOLDER = """\
import sys, time
import psutil
psutil.PROCFS_PATH = sys.argv[1]
from nrevu.pipeline import locking
locking.note_running()
print("noted", flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("proc", ["/proc", "missing"])
def test_a_second_run_is_refused_with_and_without_proc(tmp_path, monkeypatch, proc):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(psutil, "PROCFS_PATH", proc, raising=False)
    words = [sys.executable, "-c", HOLDER, proc]
    first = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    try:
        assert first.stdout.readline() == "noted\n"
        with pytest.raises(Mistake, match=f"process {first.pid} is running .*nrevu-running"):
            locking.lock_folder(tmp_path)
    finally:
        first.kill()
        first.wait()
    assert locking.running_process() is None


def test_a_run_elsewhere_is_dead_when_silent(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    locking.RUNNING.parent.mkdir()
    for path in (locking.RUNNING, locking.PROGRESS):
        path.write_text("elsewhere 1 1")
    old = time.time() - 700
    os.utime(locking.RUNNING, (old, old))
    assert "1 on elsewhere (seen " in locking.running_process()  # its progress is new
    os.utime(locking.PROGRESS, (old, old))
    assert locking.running_process() is None


SQUEUE = """\
#!/bin/sh
echo "11|nrevu_one|$PWD"
echo "12|nrevu_one|/"
echo "13|another|$PWD"
echo "14|nrevu_two|$PWD/../here"
"""


def test_jobs_left_by_a_killed_run_are_cancelled_and_no_others(tmp_path, monkeypatch):
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    for name, text in {"squeue": SQUEUE, "scancel": '#!/bin/sh\necho "$@" > cancelled\n'}.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    locking.cancel_jobs()
    assert Path("cancelled").read_text().split() == ["11", "14"]


@pytest.mark.parametrize("proc", ["/proc", "missing"])
def test_leftovers_of_dead_processes_are_removed(tmp_path, monkeypatch, proc):
    monkeypatch.setattr(psutil, "PROCFS_PATH", proc, raising=False)
    host = socket.gethostname()
    mine = tmp_path / f"aa.{host}.{os.getpid()}.tmp"
    dead = tmp_path / f"bb.{host}.999999999.tmp"
    elsewhere = tmp_path / "cc.another-machine.1.tmp"
    another = tmp_path / f"dd.{host}.x.tmp"
    for path in (mine, dead, elsewhere, another):
        path.touch()
    locking.remove_unfinished(tmp_path)
    assert sorted(tmp_path.iterdir()) == sorted([mine, elsewhere, another])
