#!/usr/bin/env python3
"""Run a log through Slurm: slurm.py LOG.swf OUT.csv [NAME=VALUE ...]"""

import datetime
import os
import re

from machine import BEGIN, FOLDER, Daemons, main, template

PASS = 5  # s by which the clock is set forward for a pass
STARTED = re.compile(
    r"\[\S+\] sched(?:: Allocate JobId=(\d+) NodeList=(\S+)"
    r"|/backfill: _start_job: Started JobId=(\d+) in p on (\S+))"
)
PASSED = re.compile(r"\[(\S+)\] sched/backfill: _attempt_backfill: (completed testing|no jobs)")
CYCLES = re.compile(r"Total cycles: +(\d+)")
INTERVALS = "bf_interval", "sched_interval"  # s: a pass at each step of the clock
PARAMETERS = "SchedulerParameters"
TEMPLATE = template("slurm.conf")


def configuration(processors, lines):
    """Return the text of slurm.conf, with lines of the user."""
    lines = dict(lines)
    parameters = lines.pop("params", lines.pop(PARAMETERS, ""))
    rest = [word for word in parameters.split(",") if word and word.split("=")[0] not in INTERVALS]
    values = {
        "processors": processors,
        "last": 7000 + processors,
        "folder": FOLDER,
        "parameters": ",".join([*(f"{name}=1" for name in INTERVALS), *rest]),
    }
    kept = [
        line.format(**values) for line in TEMPLATE.splitlines() if line.split("=")[0] not in lines
    ]
    return "\n".join([*kept, *map("=".join, lines.items())]) + "\n"


def nodes(text):
    """Return the numbers of nodes such as ``n[1-3,7]``, as a set of resources."""
    return text.strip("n[]").replace(",", " ")


def parse(log):
    """Return the nodes of each job that starts in lines of slurmctld.log, and when the last pass of
    the backfill scheduler ended, s since `BEGIN`.
    """
    started, passed = {}, 0
    for line in log:
        start, end = STARTED.match(line), PASSED.match(line)
        if start:
            started[start[1] or start[3]] = nodes(start[2] or start[4])
        elif end:
            passed = int((datetime.datetime.fromisoformat(end[1]) - BEGIN).total_seconds())
    return started, passed


class Slurm(Daemons):
    """Run a log through slurmctld, with a slurmd for each processor."""

    packages = "slurm-wlm, slurm-wlm-basic-plugins, libfaketime and iproute2"
    help = "lines of slurm.conf; params=... is short for SchedulerParameters=..."
    wanted = re.compile("(Scheduler|Select|Priority|Preempt)")

    def start(self):
        """Start the daemons, and wait until all nodes are idle."""
        for name in ("state", "spool"):
            os.mkdir(f"{FOLDER}/{name}")
        self.environment["SLURM_CONF"] = self.write(
            "slurm.conf", configuration(self.processors, self.lines)
        )
        if not self.call("slurmctld", "-V").split()[1].startswith("22."):  # which has no such value
            self.write("cgroup.conf", "CgroupPlugin=disabled\n")
        self.write("job.sh", "#!/bin/sh\nexec sleep 1000000\n")
        self.passed = 0
        self.backfills = self.lines.get("SchedulerType", "sched/backfill") == "sched/backfill"
        self.set_clock(0)
        env = {**self.environment, **self.clock()}
        self.spawn("slurmctld", "-D", "-c", env=env)
        for node in range(1, self.processors + 1):
            self.spawn("slurmd", "-D", "-N", f"n{node}", env=env)
        idle = ("sinfo", "-h", "-t", "idle", "-o", "%D")
        self.wait(
            lambda: self.call(*idle, codes=None).strip() == str(self.processors), "idle nodes"
        )
        self.log = open(f"{FOLDER}/slurmctld.log", encoding="utf-8")

    def state(self, state):
        """Close or open the partition."""
        self.call("scontrol", "update", "partitionname=p", f"state={state}")

    def close(self):
        """Let no job start."""
        self.state("down")

    def apply(self, ends, jobs):
        """End jobs, and submit others."""
        if ends:
            numbers = [number for number, _ in ends]
            self.call("scancel", *numbers)
            left = ("squeue", "-h", "-o", "%i", "-t", "R,CG", "-j", ",".join(numbers))
            self.wait(lambda: not self.call(*left).strip(), "ends")
        submit = "sbatch", "--parsable", "--exclusive", "-o", "/dev/null"
        return [
            self.call(
                *submit, "-N", str(job.size), "-t", str(max(job.estimate, 1)), "job.sh"
            ).strip()
            for job in jobs
        ]

    def passes(self):
        """Let both schedulers pass, twice: the first pass may have found nodes that were busy."""
        started = {}
        for _ in range(2):
            self.set_clock(self.time + PASS)
            cycles = 0 if self.backfills else self.cycles()
            self.state("up")  # makes both schedulers pass, whatever else has changed
            self.set_clock(self.time + PASS)
            self.wait(lambda: started.update(self.read_log()) or self.has_passed(cycles), "a pass")
            started.update(self.read_log())
        return started

    def cycles(self):
        """Return how often the main scheduler has passed."""
        return int(CYCLES.search(self.call("sdiag"))[1])

    def has_passed(self, cycles):
        """Return whether a pass has ended since the clock was set, or none is due."""
        if self.backfills:
            return self.passed >= self.time
        return self.cycles() > cycles or not self.call("squeue", "-h", "-t", "PD")

    def read_log(self):
        """Return the nodes of the jobs that have started, and note the last pass."""
        started, passed = parse(self.log)
        self.passed = max(self.passed, passed)
        return started


if __name__ == "__main__":
    main(Slurm)
