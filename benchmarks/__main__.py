"""Time the kernels against each other and plain C++, two threads against one, and the shell command as a process.

Machines differ and are shared, so only ratios taken within one run are worth quoting; pairs are run in turn
and the median of their ratios is printed. Nothing here asserts anything.
"""

import argparse
import ctypes
import gzip
import os
import shutil
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from benchmarks import kernels
from replication.simulator import grid, paths, swf, traces
from replication.simulator.estimates import FModel
from replication.simulator.simulation import simulate

LOGS = ("CTC-SP2", "KTH-SP2", "SDSC-SP2", "SDSC-BLUE", "SDSC-DS")


def seconds(work):
    """Wall time of one call."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def in_turn(one, other, rounds):
    """Least times of two pieces of work run in turn, and the median of their ratios."""
    pairs = [(seconds(one), seconds(other)) for _ in range(rounds)]
    return (
        min(a for a, _ in pairs),
        min(b for _, b in pairs),
        statistics.median(a / b for a, b in pairs),
    )


def plain_cpp():
    """The C++ loop as a shared library, or None where there is no compiler."""
    compiler = (
        os.environ.get("CXX")
        or shutil.which("c++")
        or shutil.which("g++")
        or shutil.which("clang++")
    )
    if not compiler:
        return None
    library = paths.BUILD / "benchmarks" / "easy.so"
    library.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        [
            compiler,
            "-O3",
            "-march=native",
            "-std=c++17",
            "-shared",
            "-fPIC",
            "-o",
            library,
            paths.ROOT / "benchmarks" / "easy.cpp",
        ],
        check=True,
    )
    return ctypes.CDLL(str(library))


def called_as_scheduler(library):
    """The C++ loop as a function with the arguments of a scheduler's `run`."""

    def pointer(column):
        return ctypes.c_void_p(column.ctypes.data)

    def run(workload, estimate, seed):
        n = len(workload)
        start, backfilled = np.full(n, -1, np.int64), np.zeros(n, bool)
        columns = workload.submit, workload.run_time, estimate, workload.processors
        library.easy(
            ctypes.c_int64(n),
            *map(pointer, columns),
            ctypes.c_int64(workload.machine),
            ctypes.c_bool(True),
            *map(pointer, (start, backfilled)),
        )
        return {"start": start, "backfilled": backfilled}

    return run


def threads(workloads, rounds):
    """How much faster two threads are than one on independent simulations."""
    w = workloads["KTH-SP2"]

    def run(workers):
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(lambda seed: simulate(w, estimates=FModel(2), seed=seed), range(60)))

    one, two, ratio = in_turn(lambda: run(1), lambda: run(2), rounds)
    print(
        f"\nSixty simulations of KTH-SP2: {one:.2f} s on one thread, {two:.2f} s on two, "
        f"{ratio:.2f} times as fast"
    )


def sweeps(workloads, rounds):
    """Print the cost of a sweep relative to its simulations alone."""
    w, seeds = workloads["KTH-SP2"], range(1, 61)
    task = grid.Task(w, FModel(2), seeds=tuple(seeds))
    grid.run([task], 1, folder=None)
    a, b, ratio = in_turn(
        lambda: grid.run([task], 1, folder=None),
        lambda: [simulate(w, estimates=FModel(2), seed=seed) for seed in seeds],
        rounds,
    )
    print(f"\nA sweep of sixty: {a:.2f} s, the simulations alone {b:.2f} s, ratio {ratio:.2f}")


def commands(rounds):
    """The shell command as a whole process, beside Python starting numba alone."""
    print("\nAs a process, kernels cached (least of the rounds; beside `python -c 'import numba'`)")
    environment = os.environ | {"PYTHONPATH": str(paths.ROOT)}
    for name in ("KTH-SP2", "SDSC-BLUE"):
        ours = [
            sys.executable,
            "-m",
            "replication",
            "simulate",
            name,
            "--estimates",
            "f=2",
            "--out",
        ]
        ours = [*ours, str(paths.BUILD / "benchmarks" / "jobs.csv")]
        bare = [sys.executable, "-c", "import numba"]
        a, b, ratio = in_turn(
            *[
                lambda words=words: subprocess.run(
                    words, check=True, capture_output=True, env=environment
                )
                for words in (ours, bare)
            ],
            rounds,
        )
        print(f"  simulate {name:<10} {a:.2f} s, numba alone {b:.2f} s, ratio {ratio:.2f}")


def reading(rounds):
    """Reading a compressed log, beside gunzip alone."""
    path = traces.locate("SDSC-BLUE")
    if path is None:
        print("\nReading: SDSC-BLUE is not on this machine")
        return
    a, b, ratio = in_turn(lambda: swf.read(path), lambda: gzip.open(path).read(), rounds)
    print(f"\nReading SDSC-BLUE: {a:.2f} s, gunzip alone {b:.2f} s, ratio {ratio:.2f}")


def main():
    """Run the benchmarks."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--rounds", type=int, default=9, help="pairs run in turn (default 9)")
    parser.add_argument("--more", action="store_true", help="four million jobs too")
    given = parser.parse_args()
    rounds = given.rounds
    workloads = {name: traces.load(name) for name in LOGS}
    if any(w.stand_in for w in workloads.values()):
        print("Some workloads are stand-ins.")
    library = plain_cpp()
    if library is None:
        print("No C++ compiler here: no ratio to plain C++.")
    kernels.main(
        workloads, library and called_as_scheduler(library), max(3, rounds // 2), given.more
    )
    threads(workloads, max(3, rounds // 2))
    sweeps(workloads, max(3, rounds // 2))
    reading(max(3, rounds // 2))
    commands(max(3, rounds // 2))


main()
