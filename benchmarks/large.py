"""One large log from its file to its measures: seconds and peak memory of reading, simulating and measuring.

Weeks of SDSC-BLUE are drawn anew until there are as many jobs as wanted, scaled to a load, and written as a file of the
format; what it measures is of the program, not of any machine. Processor time is given beside
the clock, since other work on the machine counts less in it.

    python -m benchmarks.large --jobs 10000000 --folder /tmp
"""

import argparse
import resource
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv

from benchmarks.kernels import GROWN, grown
from replication.simulator import grid, traces
from replication.simulator.estimates import Users
from replication.simulator.swf import FIELDS

ROWS = 1_000_000


def write(path, log):
    """Write jobs as a file of the Standard Workload Format."""
    with open(path, "wb") as file:
        file.write(f"; MaxProcs: {log.machine}\n".encode())
        options = csv.WriteOptions(include_header=False, delimiter=" ")
        for first in range(0, len(log), ROWS):
            part = log.take(slice(first, first + ROWS))
            known = {
                "job_id": np.arange(first + 1, first + 1 + len(part)),
                "submit": part.submit,
                "run_time": part.run_time,
                "allocated_processors": part.processors,
                "requested_processors": part.processors,
                "requested_time": part.estimate,
                "status": np.ones(len(part), np.int64),
                "user": part.user,
            }
            unknown = np.full(len(part), -1)
            columns = {name: known.get(name, unknown) for name in FIELDS}
            csv.write_csv(pa.table(columns), file, options)


def timed(what, work):
    """Do something and print what it took."""
    clock, used = time.perf_counter(), time.process_time()
    found = work()
    clock, used = time.perf_counter() - clock, time.process_time() - used
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    print(f"  {what:<24} {clock:>7.1f} s {used:>9.1f} s {peak:>10.2f} GiB", flush=True)
    return found


def main():
    """Write the log, or read it and simulate it where it is there already."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.large", description=__doc__)
    parser.add_argument("--jobs", type=int, default=1_000_000)
    parser.add_argument("--load", type=float, default=0.8)
    parser.add_argument("--folder", type=Path, default=Path("/tmp"))
    given = parser.parse_args()
    path = given.folder / f"large-{given.jobs}-{given.load:g}.swf"
    if not path.exists():
        write(path, grown(traces.load(GROWN), given.jobs, given.load))
        print(f"{path} written, {path.stat().st_size / 1e9:.2f} GB; run this again to time it")
        return
    small = traces.load("KTH-SP2").take(slice(1000))
    grid.compute(grid.Task(small, Users()))
    print(f"  {path.name:<24} {'clock':>9} {'processor':>11} {'peak memory':>14}")
    timed("kernels loaded", lambda: None)
    jobs = timed("read and cleaned", lambda: traces.load(path))
    rows = timed("simulated and measured", lambda: grid.compute(grid.Task(jobs, Users())))
    print(f"  {len(jobs):,} jobs, load {jobs.load:.3f}, mean wait {rows['mean_wait'][0]:.0f} s")


if __name__ == "__main__":
    main()
