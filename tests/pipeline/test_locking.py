"""What a killed run leaves in the folder of the series."""

import os
import socket

import psutil
import pytest

from nrevu.pipeline import locking


@pytest.mark.parametrize("proc", ["/proc", "missing"])
def test_unfinished_files_of_dead_processes_are_removed(tmp_path, monkeypatch, proc):
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
