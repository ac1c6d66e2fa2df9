#!/usr/bin/env python3
"""Run a log through Grid Engine: gridengine.py LOG.swf OUT.csv [NAME=VALUE ...]"""

import calendar
import glob
import os
import re
import time

from machine import BEGIN, FIRST, FOLDER, HOST, MINUTE, Daemons, Late, main, template

BIN, SHARE = "/usr/lib/gridengine", "/usr/share/gridengine"
ROOT = f"{FOLDER}/root"
COMMON = f"{ROOT}/cell/common"
STEP = 4 * MINUTE  # of the clock: after 10 minutes without an answer the scheduler is removed
#: Lines of the cluster's configuration and of its queue in place of the default's.
CLUSTER = {"min_uid": 0, "min_gid": 0, "max_unheard": "99999:00:00", "load_report_time": "00:00:05",
           "execd_spool_dir": f"{FOLDER}/execd"}  # fmt: skip
QUEUE = {"qname": "q", "hostlist": HOST, "pe_list": "p", "load_thresholds": "NONE",
         "shell": "/bin/sh", "shell_start_mode": "unix_behavior"}  # fmt: skip
TEMPLATE, BOOTSTRAP, PE, EXECUTION = map(template, ("sched_conf", "bootstrap", "pe", "host"))


def replaced(text, lines):
    """Return a configuration, NAME VALUE in each line, with other lines in place of its own."""
    entries = [line for line in text.splitlines() if line and not line.startswith("#")]
    kept = [line for line in entries if line.split()[0] not in lines]
    return "\n".join([*kept, *(f"{name} {value}" for name, value in lines.items())]) + "\n"


def states(text):
    """Return the state of each job by its number from what qstat prints."""
    return {row.split()[0]: row.split()[4] for row in text.splitlines()[2:]}


class GridEngine(Daemons):
    """Run a log through sge_qmaster and sge_execd: one host with a slot for each processor."""

    packages = "gridengine-master, gridengine-exec, gridengine-client, libfaketime and iproute2"
    help = "lines of sched_conf(5), such as max_reservation=0"
    wanted = re.compile("[a-z]")

    def start(self):
        """Start the daemons, and wait until the host is known."""
        for name in ("root/cell/common", "qmaster", "execd", "jobs"):
            os.makedirs(f"{FOLDER}/{name}")
        for name in ("bin", "lib", "util", "utilbin"):
            os.symlink(f"/var/lib/gridengine/{name}", f"{ROOT}/{name}")
        self.environment.update(
            SGE_ROOT=ROOT,
            SGE_CELL="cell",
            SGE_QMASTER_PORT="6444",
            SGE_EXECD_PORT="6445",
            SGE_ND="1",
        )
        self.write("root/cell/common/bootstrap", BOOTSTRAP)
        self.write("root/cell/common/act_qmaster", f"{HOST}\n")
        with open(f"{SHARE}/default-configuration", encoding="utf-8") as file:
            self.write("cluster", replaced(file.read(), CLUSTER))
        self.tool("spoolinit", "classic", "libspoolc", f"{COMMON};{FOLDER}/qmaster", "init")
        self.tool("spooldefaults", "configuration", f"{FOLDER}/cluster")
        for name in ("complexes", "usersets"):
            folder = {"complexes": "centry"}.get(name, name)
            self.tool("spooldefaults", name, f"{SHARE}/util/resources/{folder}")
        self.tool("spooldefaults", "managers", "root")
        self.time = FIRST
        self.set_clock(FIRST)
        # jemalloc and libfaketime wait for each other: libc's malloc in its place
        os.symlink(glob.glob("/lib/*/libdl.so.2")[0], f"{FOLDER}/libjemalloc.so.2")
        clock = {**self.environment, **self.clock(), "LD_LIBRARY_PATH": FOLDER}
        self.spawn("stdbuf", "-oL", f"{BIN}/sge_qmaster", env=clock)
        self.wait(lambda: self.tool("qconf", "-sh", codes=None).strip() == HOST, "sge_qmaster")
        self.tool("qconf", "-Ae", self.write("host", EXECUTION))
        self.tool("qconf", "-as", HOST)
        # by the real clock it ends no job
        walks = {**clock, "FAKETIME_TIMESTAMP_FILE": f"{FOLDER}/walking"}
        self.spawn(f"{BIN}/sge_execd", env=walks if self.kills else self.environment)
        self.tool("qconf", "-Msconf", self.write("sched", replaced(TEMPLATE, self.lines)))
        self.tool("qconf", "-Ap", self.write("pe", PE))
        self.tool(
            "qconf",
            "-Aq",
            self.write("queue", replaced(self.queue(), {**QUEUE, "slots": self.processors})),
        )
        self.wait(lambda: " lx-" in self.tool("qhost", "-h", HOST), "sge_execd")
        self.running = set()
        self.passes()

    def queue(self):
        """Return the default queue, which qconf offers to an editor."""
        path = self.write("editor", f'#!/bin/sh\ncp "$1" {FOLDER}/template\n')
        os.chmod(path, 0o755)
        self.tool("qconf", "-aq", "q", codes=None, env={**self.environment, "EDITOR": path})
        with open(f"{FOLDER}/template", encoding="utf-8") as file:
            return re.sub(r"\\\n\s*", "", file.read())

    def tool(self, name, *args, **options):
        """Run a program of Grid Engine, and return what it prints."""
        return self.call(f"{BIN}/{name}", *args, **options)

    def states(self):
        """Return the state of each job by its number."""
        return states(self.tool("qstat", "-u", "*"))

    def close(self):
        """Let no job start."""
        self.tool("qmod", "-d", "q")

    def set_clock(self, seconds):
        """Set the clock step by step, with time for answers."""
        while self.time + STEP < seconds:
            super().set_clock(self.time + STEP)
            time.sleep(0.5)
        super().set_clock(seconds)
        # sge_execd reports no start while its clock stands still: its clock goes on from here
        offset = calendar.timegm(BEGIN.timetuple()) + seconds - time.time()
        self.write("walking", f"{offset:+.3f}\n")

    def apply(self, ends, jobs):
        """End jobs, and submit others."""
        for _, job in ends:
            if not self.kills or job.run_time <= job.estimate:  # the others are killed by sge_execd
                with open(f"{FOLDER}/jobs/{job.number}", "w", encoding="utf-8") as file:
                    file.write("\n")
        numbers = {number for number, _ in ends}
        self.running -= numbers
        self.wait(lambda: not numbers & set(self.states()), "ends")
        return [self.submit(job) for job in jobs]

    def submit(self, job):
        """Submit a job that waits until a line is written for it; return its number."""
        os.mkfifo(f"{FOLDER}/jobs/{job.number}")
        script = self.write(
            f"job{job.number}.sh", f"#!/bin/sh\nread line < {FOLDER}/jobs/{job.number}\n"
        )
        options = "-terse -pe p {} -R y -l h_rt={} -o /dev/null -e /dev/null".format(
            job.size, job.estimate * MINUTE
        )
        return self.tool("qsub", *options.split(), script).split()[0]

    def passes(self):
        """Enable the queue, and let the scheduler run until it starts no more jobs."""
        self.tool("qmod", "-e", "q")
        last, running = None, self.after_runs()
        while running != last:
            last, running = running, self.after_runs()
        started = running - self.running
        self.running = running
        return dict.fromkeys(started)

    def after_runs(self):
        """Let the scheduler run twice, as the first run may have begun before; return who runs."""
        for _ in range(2):
            before = self.runs()
            self.tool("qconf", "-tsm")
            self.wait(lambda: self.runs() > before, "a run of the scheduler")
        with open(f"{FOLDER}/qmaster/messages", encoding="utf-8", errors="replace") as file:
            if "removing event client" in file.read():
                raise Late("sge_qmaster has removed its scheduler, which did not answer in time")
        self.wait(lambda: "t" not in self.states().values(), "the starts")
        return {number for number, state in self.states().items() if state == "r"}

    def runs(self):
        """Return how often the scheduler has run."""
        with open(f"{FOLDER}/stdbuf.out", encoding="utf-8", errors="replace") as file:
            return file.read().count("STOP-SCHEDULER-RUN")


if __name__ == "__main__":
    main(GridEngine)
