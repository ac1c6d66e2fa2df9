"""The adapters of schedulers that machines run; no test needs or starts one of them."""

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import gridengine
import machine
import oar
import pytest
import sample
import slurm
import table

from conformance import suite
from conformance.easy import Easy, Job
from conformance.rules import Rules

FOLDER = Path(machine.__file__).parent


@pytest.mark.parametrize("name", ["E2a", "E3", "E10", "E15c"])
def test_a_log_is_read_in_queue_order(tmp_path, name):
    log = next(log for log in suite.logs() if log.name == name)
    (tmp_path / "log.swf").write_text(log.swf)
    jobs, processors = machine.read(tmp_path / "log.swf")
    expected, size = log.jobs()
    assert processors == size
    assert sorted(jobs) == sorted(
        (job.number, job.submit, job.run_time, job.size, job.estimate) for job in expected
    )
    assert [job.submit for job in jobs] == sorted(job.submit for job in jobs)


@pytest.mark.parametrize("text", ["1 0 -1 5\n", "; MaxProcs: many\n", "1 0.5 -1 5 1 1 1 1 5\n", ""])
def test_another_file_is_refused_in_one_line(tmp_path, text):
    (tmp_path / "log.swf").write_text(text)
    with pytest.raises(machine.Problem, match=r"log.swf[^\n]*$"):
        machine.read(tmp_path / "log.swf")


class Fake(machine.Daemons):
    """A scheduler without processes: EASY, which learns what `run` tells it."""

    def start(self):
        self.easy = Easy([], self.processors)

    def close(self):
        self.closed = True

    def set_clock(self, seconds):
        assert self.closed
        self.time, self.easy.now = seconds, (seconds - machine.FIRST) // machine.MINUTE

    def apply(self, ends, jobs):
        for number, _ in ends:
            self.easy.end(next(job for job in self.easy.running if str(job.number) == number))
        for job in jobs:
            self.easy.submit(Job(job.number, job.submit, job.size, job.estimate, job.run_time))
        return [str(job.number) for job in jobs]

    def passes(self):
        before, self.closed = list(self.easy.running), False
        self.easy.schedule()
        return {str(job.number): None for job in self.easy.running if job not in before}


@pytest.mark.parametrize("kills", [False, True])
def test_the_events_of_an_instant_reach_the_scheduler_together(tmp_path, kills):
    for log, rules in suite.choose("easy", Rules.of({"kills": "yes" if kills else "no"})):
        (tmp_path / "log.swf").write_text(log.swf)
        jobs, processors = machine.read(tmp_path / "log.swf")
        runs = machine.run(Fake(processors, {}, kills), jobs)
        assert {job: start for job, (start, _, _) in runs.items()} == log.expected(rules)


def test_lines_of_a_file_and_of_the_user_replace_those_of_the_template(tmp_path):
    (tmp_path / "slurm.conf").write_text(
        "ClusterName=mine\nSchedulerParameters=bf_window=60  # minutes\n"
    )
    lines = machine.settings(
        ["SelectType=select/linear"], tmp_path / "slurm.conf", slurm.Slurm.wanted
    )
    assert "ClusterName" not in lines  # about the machine
    text = slurm.configuration(4, lines)
    assert re.findall("(?m)^SchedulerParameters=.*bf_window=60$", text)
    assert re.findall("(?m)^SelectType=.*", text) == ["SelectType=select/linear"]
    assert "NodeName=n[1-4] Port=[7001-7004] " in text and "{" not in text
    with pytest.raises(machine.Problem):
        machine.settings(["bf_window"], None, slurm.Slurm.wanted)


def test_the_interval_of_the_passes_is_that_of_the_clock():
    text = slurm.configuration(1, {"params": "bf_interval=30,bf_busy_nodes"})
    parts = re.findall("(?m)^SchedulerParameters=(.*)", text)[0].split(",")
    assert "bf_interval=1" in parts and "bf_interval=30" not in parts and "bf_busy_nodes" in parts


SLURM_LOG = """[2026-01-05T00:10:05.000] sched: Allocate JobId=7 NodeList=n[1-2,4] #CPUs=3
[2026-01-05T00:10:05.000] sched/backfill: _attempt_backfill: beginning
[2026-01-05T00:10:05.000] sched/backfill: _start_job: Started JobId=8 in p on n3
[2026-01-05T00:10:10.000] sched/backfill: _attempt_backfill: completed testing 2(2) jobs, usec=321
"""


def test_starts_nodes_and_passes_are_read_from_the_log_of_slurm():
    started, passed = slurm.parse(SLURM_LOG.splitlines())
    assert started == {"7": "1-2 4", "8": "3"} and passed == 610
    assert slurm.parse([]) == ({}, 0)


QSTAT = """job-ID  prior   name       user  state submit/start at     queue     slots ja-task-ID
---------------------------------------------------------------------------------------
      3 0.50000 job3.sh    root  r     01/05/2026 00:10:00 q@suite       2
     12 0.00000 job12.sh   root  qw    01/05/2026 00:11:00               1
"""


def test_grid_engines_states_and_configuration():
    assert gridengine.states(QSTAT) == {"3": "r", "12": "qw"} and gridengine.states("") == {}
    text = gridengine.replaced("# a comment\nslots   1\nshell   /bin/sh\n", {"slots": 9})
    assert sorted(text.splitlines()) == ["shell   /bin/sh", "slots 9"]
    lines = gridengine.replaced(gridengine.TEMPLATE, {"max_reservation": "0"}).splitlines()
    assert [line for line in lines if line.startswith("max_res")] == ["max_reservation 0"]


def test_oars_configuration_and_walltimes():
    text = 'DB_HOSTNAME="far"\nSCHEDULER_JOB_SECURITY_TIME="60"\nOTHER="1"\n'
    lines = oar.configuration(text, {"SCHEDULER_JOB_SECURITY_TIME": "300"}).splitlines()
    assert [line for line in lines if "SECURITY" in line] == ['SCHEDULER_JOB_SECURITY_TIME="300"']
    assert 'DB_HOSTNAME="127.0.0.1"' in lines and 'OTHER="1"' in lines
    assert [oar.walltime(estimate) for estimate in (0, 1, 61)] == ["0:0:1", "0:0:59", "1:0:59"]


LEAVES = """import subprocess, sys, time
import machine
def work():
    subprocess.Popen(["sh", "-c", "setsid sleep {0} & exec sleep {0}"], start_new_session=True)
    print("ready", flush=True)
    time.sleep({0})
try:
    machine.isolated(work)
finally:
    print("ended", flush=True)
"""


def sleepers(seconds):
    """Return how many processes sleep for so many seconds."""
    count = 0
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            count += path.read_bytes() == f"sleep\0{seconds}\0".encode()
        except OSError:
            continue
    return count


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_over_after_an_interruption(number):
    try:
        assert machine.isolated(lambda: os.getpid()) > 1
    except (machine.Problem, OSError) as error:
        pytest.skip(str(error))
    seconds = 100_000 + os.getpid()
    mounts = Path("/proc/mounts").read_text()
    child = subprocess.Popen(
        [sys.executable, "-c", LEAVES.format(seconds)], cwd=FOLDER, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert child.stdout.readline() == "ready\n"
    until = time.monotonic() + 60
    while sleepers(seconds) < 2 and time.monotonic() < until:
        time.sleep(0.01)
    assert sleepers(seconds) == 2
    child.send_signal(number)
    child.communicate()
    while number == signal.SIGKILL and sleepers(seconds) and time.monotonic() < until:
        time.sleep(0.01)  # nobody is left who could wait
    assert sleepers(seconds) == 0 and Path("/proc/mounts").read_text() == mounts


def test_a_missing_program_is_one_sentence(tmp_path):
    if os.geteuid():
        pytest.skip("not root")
    for name in ("mnt", "tmp", "run", "dev", "proc", "etc"):
        (tmp_path / "root" / name).mkdir(parents=True)
    (tmp_path / "root/etc/hosts").touch()
    (tmp_path / "log.swf").write_text(suite.logs()[0].swf)
    for module in ("slurm", "gridengine", "oar"):
        args = [f"{module}.py", tmp_path / "log.swf", tmp_path / "out", "--root", tmp_path / "root"]
        done = subprocess.run(
            [sys.executable, *args], cwd=FOLDER, capture_output=True, text=True, check=False
        )
        assert done.returncode and done.stderr.count("\n") == 1 and "Traceback" not in done.stderr
        assert not (tmp_path / "out").exists()


def test_a_sample_has_whole_minutes_and_estimates_within_their_bounds():
    lines = ["; MaxProcs: 8"] + [
        f"{n} {n * 100} 0 {n * 61} 2 -1 -1 2 {n * 300} -1 1 1 1 -1 -1 -1 -1 -1"
        for n in range(1, 50)
    ]
    rows = [list(map(int, line.split())) for line in sample.sample(lines, 11, 30)[1:]]
    assert [row[0] for row in rows] == list(range(11, 41)) and rows[0][1] == 0
    assert all(row[3] == -(-61 * row[0] // 60) and row[8] == 5 * row[0] for row in rows)
    for badness in (0, 1):
        drawn = sample.sample(lines, 11, 30, badness)
        assert drawn == sample.sample(lines, 11, 30, badness)
        rows = [list(map(int, line.split())) for line in drawn[1:]]
        longest = [-(-61 * row[0] * (badness + 1) // 60) for row in rows]
        assert all(row[3] <= row[8] <= most for row, most in zip(rows, longest))
    assert any(row[8] > row[3] for row in rows)


def test_the_committed_results_are_as_the_rules_say_and_the_readme_has_them():
    rows = json.loads((FOLDER / "rows.json").read_text(encoding="utf-8"))
    with (FOLDER / "results.csv").open(encoding="utf-8", newline="") as file:
        header, *lines = list(csv.reader(file))
    assert header == table.HEADER
    logs = {log.name: log for log in suite.logs()}
    for line in lines:
        (row,) = [row for row in rows if row["row"] == line[0] and table.fits(row, line[2])]
        rules = dict(suite.choose(row["level"], Rules.parse(row["rules"].split())))[logs[line[5]]]
        as_expected = line[8] == table.starts(logs[line[5]].expected(rules))
        assert (line[4], line[7]) == (str(rules), "yes" if as_expected else "no"), line
    readme = (FOLDER.parent / "README.md").read_text(encoding="utf-8")
    assert "\n".join(table.table(lines, rows)) in readme
