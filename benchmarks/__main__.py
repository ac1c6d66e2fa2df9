"""Time the kernels: EASY and plain C++ in nanoseconds for each job, the other kernels as ratios to EASY.

Processors differ and are shared, so only ratios within one run are comparable. The runs of a table's line alternate, and the
least processor time of each counts.
"""

import ctypes
import math
import os
import shutil
import subprocess
import sys
import time

import numpy as np

import replication as rp
from replication.simulator import paths
from replication.simulator.logs import registry
from replication.simulator.logs.resampling import WEEK

LOGS = ("CTC-SP2", "KTH-SP2", "SDSC-SP2", "SDSC-BLUE", "SDSC-DS")
KERNELS = {
    "FCFS": rp.FCFS(),
    "last": rp.EASY(predictor=rp.Last()),
    "sjf": rp.EASY(predictor=rp.Tsafrir(), candidates="sjf"),
    "two": rp.EASY(reservations=2),
    "laf": rp.LargestAreaFirst(),
    "ordered": rp.OrderedEASY(),
    "pv-easy": rp.PVEasy(),
    "conserv.": rp.Conservative(),
}
ROUNDS = 5
LONG_QUEUE = "SDSC-BLUE", 1_000_000, (0.7, 1.1)  # log, jobs, loads


def plain_cpp():
    """Return the loop in C++ as a function with the arguments of a scheduler's `run`; None without a compiler."""
    names = os.environ.get("CXX", ""), "c++", "g++", "clang++"
    compiler = next(filter(None, map(shutil.which, names)), None)
    if compiler is None:
        return None
    library = paths.BUILD / "benchmarks" / "easy.so"
    library.parent.mkdir(parents=True, exist_ok=True)
    options = "-O3", "-march=native", "-std=c++17", "-shared", "-fPIC", "-o", library
    subprocess.run([compiler, *options, paths.ROOT / "benchmarks" / "easy.cpp"], check=True)
    easy = ctypes.CDLL(str(library)).easy

    def run(workload, estimate, _seed):
        n = len(workload)
        start, backfilled = np.full(n, -1, np.int64), np.zeros(n, bool)
        columns = workload.submit, workload.run_time, estimate, workload.processors
        jobs, decided = (
            [ctypes.c_void_p(column.ctypes.data) for column in group]
            for group in (columns, (start, backfilled))
        )
        machine = ctypes.c_int64(workload.machine)
        easy(ctypes.c_int64(n), *jobs, machine, ctypes.c_bool(True), *decided)
        return {"start": start, "backfilled": backfilled}

    return run


def least_seconds(runs, rounds):
    """Return the least processor time of each function, run in turn, s."""
    least = dict.fromkeys(runs, math.inf)
    for _ in range(rounds):
        for name, run in runs.items():
            began = time.thread_time()
            run()
            least[name] = min(least[name], time.thread_time() - began)
    return least


def at_own_load(schedulers):
    """Print a line for each log; the C++ loop must decide as EASY does."""
    heads = "".join(f"{name:>9}" for name in schedulers if name != "EASY")
    print(f"\nEASY in ns for each job, then ratios to EASY\nlog            jobs   EASY{heads}")
    for name in LOGS:
        w = registry.load(name)
        decided = [
            schedulers[one](w, w.estimate, 1) for one in ("EASY", "C++") if one in schedulers
        ]
        for column in ("start", "backfilled"):
            if not np.array_equal(decided[0][column], decided[-1][column]):
                raise SystemExit(f"{w.name}: {column} of C++ and of EASY differ")
        runs = {name: lambda run=run: run(w, w.estimate, 1) for name, run in schedulers.items()}
        least = least_seconds(runs, ROUNDS)
        easy = least.pop("EASY")
        ratios = "".join(f"{seconds / easy:>9.2f}" for seconds in least.values())
        print(f"{w.label:<11}{len(w):>8,}{easy / len(w) * 1e9:>7.0f}{ratios}", flush=True)


def long_queue():
    """Print EASY's time for each job on an extended log: at a high load the queue grows for as long as jobs come."""
    name, jobs, loads = LONG_QUEUE
    log = registry.load(name)
    weeks = 10 + math.ceil(1.1 * jobs / len(log) * log.span / WEEK)
    extended = rp.ResampledWeeks(weeks, jobs).make(log, 1)
    at = {load: extended.at_load(load) for load in loads}
    runs = {load: lambda w=w: rp.EASY().run(w, w.estimate, 1) for load, w in at.items()}
    least = least_seconds(runs, 3)
    print(f"\nEASY on {name} extended to {len(extended):,} jobs")
    for load, seconds in least.items():
        ratio = seconds / least[loads[0]]
        print(
            f"load {load:.0%}: {seconds / len(extended) * 1e9:,.0f} ns for each job, {ratio:.2f} times"
        )


def main():
    """Print both tables."""
    plain = plain_cpp()
    if plain is None:
        print("No C++ compiler: no ratio to plain C++")
    compiled = {"EASY": rp.EASY().run} | ({} if plain is None else {"C++": plain})
    at_own_load(compiled | {name: scheduler.run for name, scheduler in KERNELS.items()})
    long_queue()


try:
    main()
except registry.Missing as error:
    sys.exit(f"benchmarks: {error}")
