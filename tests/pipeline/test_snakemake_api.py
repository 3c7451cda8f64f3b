"""What the one module that touches Snakemake's objects reads from them: a real Snakemake's."""

import logging
import subprocess
import sys

import pytest
from snakemake_interface_logger_plugins.common import LogEvent

from nrevu.errors import Mistake
from nrevu.pipeline import snakemake_api, summary

SNAKEFILE = """\
from nrevu.errors import Mistake
from nrevu.pipeline import snakemake_api

try:
    print("CALL", snakemake_api.describe_call(workflow))
except Mistake as mistake:
    print("MISTAKE", mistake)
print("TARGETS", snakemake_api.requested_targets())


rule all:
    input:
        "failed",


rule sample:
    output:
        "failed",
    log:
        "log.txt",
    shell:
        "echo a cell; echo failed: b > {log}; exit 1"


onstart:
    shell.log = snakemake_api.follow_jobs(workflow)


onerror:
    print("FAILED", shell.log.failed, shell.log.count(remote=False))
"""


@pytest.fixture
def call(tmp_path):
    """Return a function that calls Snakemake and returns what it printed."""
    (tmp_path / "Snakefile").write_text(SNAKEFILE)

    def run(*words):
        command = [sys.executable, "-m", "snakemake", *words]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)

    return run


def test_what_a_call_is_asked_to_do(call):
    run = call("--cores", "2", "--dry-run", "all", "--forcerun", "sample")
    assert "CALL Call(is_main=True, dry_run=True, cores=2, least_seconds=None)" in run.stdout
    assert "TARGETS ['all', 'sample']" in run.stdout
    run = call("--cores", "1", "--dry-run", "--default-resources", "batch_seconds=300", "mem_mb=5")
    assert "dry_run=True, cores=1, least_seconds=300.0" in run.stdout


@pytest.mark.parametrize("text", ["0", "word", "-1"])
def test_a_profile_must_name_seconds(call, text):
    run = call("--cores", "1", "--dry-run", "--default-resources", f"batch_seconds='{text}'")
    assert "MISTAKE default-resources: batch_seconds: " in run.stdout


def test_jobs_are_followed_and_their_lines_muted(call):
    run = call("--cores", "1")
    assert run.returncode == 1 and "CALL Call(is_main=True, dry_run=False" in run.stdout
    assert "FAILED {" in run.stdout and "(['log.txt'], ['failed'])} (0, 0)" in run.stdout
    assert "\nrule sample:" not in run.stderr and "Select jobs" not in run.stderr


def test_another_snakemake_is_refused_with_the_versions_that_work():
    with pytest.raises(Mistake, match=r"is not supported .*pip install 'snakemake>=9.17,<10'"):
        snakemake_api.describe_call(object())


def test_a_job_that_succeeds_at_its_second_try_has_not_failed(tmp_path):
    log = snakemake_api.JobLog()

    def emit(event, **more):
        log.emit(logging.makeLogRecord({"event": event, "jobid": 4, **more}))

    job = {"rule_name": "sample", "log": [str(tmp_path / "log")], "output": ["x"]}
    emit(LogEvent.JOB_INFO, **job)
    assert log.count(remote=False) == (1, 0) and log.count(remote=True) == (0, 1)
    (tmp_path / "log").touch()
    assert log.count(remote=True) == (1, 0)
    emit(LogEvent.JOB_ERROR, **job)
    assert log.failed == {4: (job["log"], ["x"])} and log.count(remote=False) == (0, 0)
    emit(LogEvent.JOB_INFO, **job)
    emit(LogEvent.JOB_FINISHED)
    assert not log.failed


def test_the_last_messages_of_a_log(tmp_path):
    log = tmp_path / "log"
    assert summary.last_messages(log) == ["there is no log"]
    log.write_text("sampled a\nfailed: b: cell\nTraceback\nValueError: c\n\n")
    assert summary.last_messages(log) == ["failed: b: cell", "ValueError: c"]
    killed = "slurmstepd-n1: error: *** JOB 5 ON n1 CANCELLED DUE TO TIME LIMIT ***"
    log.write_text(f"Building DAG\n{killed}\nsrun: Job step aborted\n")
    assert summary.last_messages(log) == [killed, "srun: Job step aborted"]
