"""A private Slurm of one node for tests: its own folder, ports, key and daemons, on loopback."""

import os
import shutil
import signal
import socket
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "srun", "scancel", "sinfo")
PATH = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
CONF = """\
ClusterName=nrevu
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ctld}
SlurmdPort={slurmd}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
JobCompType=jobcomp/filetxt
JobCompLoc={folder}/jobs.txt
MinJobAge=600
ReturnToService=2
SlurmdParameters=config_overrides
MpiDefault=none
OverTimeLimit=0
KillWait=5
NodeName={host} NodeAddr=127.0.0.1 CPUs=4 RealMemory=16000 State=UNKNOWN
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def missing() -> list[str]:
    """Return the programs of Slurm that this machine lacks."""
    return [name for name in PROGRAMS if not shutil.which(name, path=PATH)]


@contextmanager
def cluster(folder: Path):
    """Start munged, slurmctld and slurmd, give the environment to use them in, and stop them."""
    for name in ("state", "spool", "bin"):
        (folder / name).mkdir(parents=True)
    key, conf = folder / "munge.key", folder / "slurm.conf"
    key.touch(mode=0o600)
    key.write_bytes(os.urandom(128))
    names = {"host": socket.gethostname(), "user": Path("/proc/self").owner(), "folder": folder}
    conf.write_text(CONF.format(ctld=free_port(), slurmd=free_port(), **names))
    env = {**os.environ, "SLURM_CONF": str(conf), "PATH": f"{folder / 'bin'}:{PATH}"}
    wrap_srun(folder / "bin/srun", conf)
    files = {"key": "munge.key", "socket": "munge.socket", "seed": "munge.seed", "log": "munge.log"}
    words = [f"--{n}-file={folder / f}" for n, f in files.items() if n != "socket"]
    words += [f"--socket={folder / files['socket']}", f"--pid-file={folder / 'munge.pid'}"]
    daemons = (["munged", "--foreground", "--force", *words], ["slurmctld", "-D", "-c"])
    started = []
    try:
        for daemon in (*daemons, ["slurmd", "-D"]):
            with open(folder / f"{daemon[0]}.out", "w") as out:
                started.append(subprocess.Popen(daemon, env=env, stdout=out, stderr=out))
            time.sleep(0.3)
        wait_until_idle(folder, env)
        yield env
    finally:
        subprocess.run(["scancel", "--user", names["user"]], env=env, capture_output=True)
        for process in reversed(started):
            stop(process)


def stop(process: subprocess.Popen) -> None:
    """End a daemon that was started here."""
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def wrap_srun(path: Path, conf: Path) -> None:
    """Write an srun that knows this cluster: the executor drops SLURM_CONF before it calls it."""
    path.write_text(f'#!/bin/sh\nSLURM_CONF={conf} exec {shutil.which("srun", path=PATH)} "$@"\n')
    path.chmod(0o755)


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until_idle(folder: Path, env: dict[str, str]) -> None:
    """Wait until the node takes jobs."""
    words = ["sinfo", "-h", "-o", "%t"]
    for _ in range(150):
        found = subprocess.run(words, env=env, capture_output=True, text=True)
        if found.stdout.strip() == "idle":
            return
        time.sleep(0.2)
    logs = [path.read_text()[-2000:] for path in sorted(folder.glob("*.out"))]
    raise RuntimeError("Slurm did not start:\n" + "\n".join(logs))


def ended(folder: Path) -> list[dict[str, str]]:
    """Return what the cluster itself wrote down of each job that ended, in order."""
    path = folder / "jobs.txt"
    lines = path.read_text().splitlines() if path.exists() else []
    return [dict(word.split("=", 1) for word in line.split() if "=" in word) for line in lines]
