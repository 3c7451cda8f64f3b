"""Whether a process is alive: ids used again, zombies, clocks that are set, and no /proc."""

import os
import subprocess
import sys
import time
from unittest.mock import Mock

import psutil
import pytest

from nrevu.pipeline.processes import alive, is_zombie, start_time

ME = os.getpid()


@pytest.fixture
def no_proc(tmp_path, monkeypatch):
    monkeypatch.setattr(psutil, "PROCFS_PATH", str(tmp_path / "missing"), raising=False)


def ended():
    """Return the id of a process that has just ended, and that was waited for."""
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return child.pid


def test_alive_by_id_and_start():
    start = start_time(ME)
    assert alive(ME) and alive(ME, start) and alive(ME, start + 0.01)
    assert not alive(ME, start - 60) and not alive(ME, start + 60)
    assert not alive(ended()) and not alive(10**18)


@pytest.mark.skipif(not psutil.LINUX, reason="elsewhere psutil needs no /proc")
def test_without_proc_the_id_decides(no_proc):
    assert start_time(ME) is None
    assert alive(ME) and alive(ME, 1.0)
    assert not alive(ended()) and not alive(ended(), 1.0)


@pytest.mark.parametrize("error", [psutil.AccessDenied(1), psutil.NoSuchProcess(1), OSError()])
def test_what_is_unknown_is_alive(monkeypatch, error):
    monkeypatch.setattr(psutil, "Process", Mock(side_effect=error))
    assert start_time(ME) is None and alive(ME, 1.0)
    monkeypatch.setattr(os, "kill", Mock(side_effect=PermissionError))
    assert alive(ME, 1.0)


def test_a_zombie_is_dead():
    child = subprocess.Popen([sys.executable, "-c", ""])  # not waited for
    deadline = time.monotonic() + 30
    while not is_zombie(child.pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not alive(child.pid)
    child.wait()


@pytest.mark.skipif(not psutil.LINUX, reason="elsewhere the date of the start does not move")
def test_a_clock_that_is_set_moves_no_start(tmp_path, monkeypatch):
    """Linux then gives another time of boot."""
    before = start_time(ME)
    (tmp_path / str(ME)).symlink_to(f"/proc/{ME}")
    (tmp_path / "stat").write_text("btime 1000000000\n")
    monkeypatch.setattr(psutil, "PROCFS_PATH", str(tmp_path))
    assert psutil.Process(ME).create_time() < 1.5e9
    assert start_time(ME) == pytest.approx(before, abs=1e-3)
