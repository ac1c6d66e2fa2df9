"""Time the kernels: EASY and plain C++ in nanoseconds for each job, the other kernels as ratios to
EASY; and long queues.

Processors differ and are shared, so only ratios within one run are comparable. The runs of a
table's line alternate, and the least processor time of each counts.
"""

import ctypes
import math
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import replication as rp
from replication.simulator import paths
from replication.simulator.logs import registry

LOGS = ("CTC-SP2", "KTH-SP2", "SDSC-SP2", "SDSC-BLUE", "SDSC-DS")
KERNELS = {
    "FCFS": rp.FCFS(),
    "last": rp.EASY(predictor=rp.Last()),
    "sjf": rp.EASY(predictor=rp.Tsafrir(), candidates="shortest"),
    "two": rp.EASY(reservations=2),
    "largest": rp.LargestAreaFirst(),
    "ordered": rp.OrderedEASY(),
    "pv-easy": rp.PVEasy(),
    "conserv.": rp.Conservative(),
}
ROUNDS = 20
ENOUGH = 15  # s of processor time, after which no further round begins
MODERN = "RICC", 20_000  # a log with long queues; jobs of the burst in its place if it is missing
LONG_QUEUES = {
    "EASY": rp.EASY(),
    "shortest first": rp.EASY(candidates="shortest"),
    "EASY on Last": rp.EASY(predictor=rp.Last()),
    "largest area": rp.LargestAreaFirst(),
    "Top 3 %": rp.EASY(predictor=rp.TopPercent(3)),
    "WFP3": rp.OrderedEASY(order="wfp3"),
    "PV-EASY": rp.PVEasy(),
    "two reserved": rp.EASY(reservations=2),
    "conservative": rp.Conservative(),
}
LENGTHS = 100, 1_000, 10_000, 100_000  # waiting jobs
MOST_SECONDS = 60  # a scheduler that may need more for the next length is not timed there


def plain_cpp():
    """Return the loop in C++ as a function with the arguments of a scheduler's `run`; None without
    a compiler.
    """
    names = os.environ.get("CXX", ""), "c++", "g++", "clang++"
    compiler = next(filter(None, map(shutil.which, names)), None)
    if compiler is None:
        return None
    library = paths.BUILD / "benchmarks" / "easy.so"
    library.parent.mkdir(parents=True, exist_ok=True)
    options = "-O3", "-march=native", "-std=c++17", "-shared", "-fPIC", "-o", library
    subprocess.run([compiler, *options, Path(__file__).with_name("easy.cpp")], check=True)
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
    least, first = dict.fromkeys(runs, math.inf), time.thread_time()
    for k in range(rounds):
        if k and time.thread_time() - first > ENOUGH:
            break
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


def burst(jobs):
    """Return a workload of jobs that are submitted within as many seconds as there are jobs, so
    that almost all of them wait.
    """
    random = np.random.default_rng(jobs)
    run_time = np.maximum(random.lognormal(7, 2, jobs).astype(np.int64), 1)
    columns = {
        "submit": np.arange(jobs),
        "run_time": run_time,
        "processors": 2 ** random.integers(0, 7, jobs),
        "estimate": (run_time * random.uniform(1, 6, jobs)).astype(np.int64),
        "user": random.integers(0, 100, jobs),
    }
    return rp.Workload.from_columns(f"burst of {jobs:,}", 1024, **columns)


def modern_log():
    """Print each scheduler's time on a log with long queues, as a ratio to EASY."""
    name, jobs = MODERN
    try:
        w = registry.load(name)
    except registry.Missing:
        w = burst(jobs)
    print(f"\n{w.label}, {len(w):,} jobs\n{'':<16}           s   ratio to EASY")
    easy = None
    for scheduler, choice in LONG_QUEUES.items():
        rounds = 2 if easy else ROUNDS  # all others are compared with EASY, which comes first
        seconds = least_seconds({"": lambda run=choice.run: run(w, w.estimate, 1)}, rounds)[""]
        easy = easy or seconds
        print(f"{scheduler:<16}{seconds:>12.2f}{seconds / easy:>16.1f}", flush=True)


def growth():
    """Print and draw the time for each job against the length of the queue."""
    print(f"\nBurst of jobs, microseconds for each job\n{'':<16}", end="")
    print("".join(f"{length:>12,}" for length in LENGTHS))
    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    for place, (scheduler, choice) in enumerate(LONG_QUEUES.items()):
        each, expected = {}, 0.0
        for length in LENGTHS:
            w = burst(length)
            if each and 100 * expected > MOST_SECONDS:  # a tenfold queue, and at worst its square
                break
            run = {"": lambda w=w, run=choice.run: run(w, w.estimate, 1)}
            each[length] = least_seconds(run, ROUNDS if length < 10_000 else 1)[""] / length
            expected = each[length] * length
        print(f"{scheduler:<16}" + "".join(f"{1e6 * seconds:>12.2f}" for seconds in each.values()))
        marker, line = "os^Dv"[place % 5], ("-", "--")[place // 5]
        axes.loglog(
            list(each),
            [1e6 * one for one in each.values()],
            marker=marker,
            ls=line,
            label=scheduler,
        )
    axes.set_xlabel("jobs submitted at once, almost all of which wait")
    axes.set_ylabel("time for each job [microseconds]")
    axes.legend(fontsize="small", ncols=2)
    path = paths.BUILD / "benchmarks" / "growth.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
    print(path)


def main():
    """Print all tables."""
    plain = plain_cpp()
    if plain is None:
        print("No C++ compiler: no ratio to plain C++")
    compiled = {"EASY": rp.EASY().run} | ({} if plain is None else {"C++": plain})
    at_own_load(compiled | {name: scheduler.run for name, scheduler in KERNELS.items()})
    modern_log()
    if "--growth" in sys.argv[1:]:
        growth()


try:
    main()
except registry.Missing as error:
    sys.exit(f"benchmarks: {error}")
