"""EASY by load and number of jobs: a log repeated until there are enough, its submissions drawn together.

Above 90 % of the machine the queue grows for as long as jobs come. The plain C++ loop looks at every waiting
job in every pass; the kernel's time per job should grow no faster than the logarithm of their number.
"""

import time

import numpy as np

from replication.core.easy import easy
from replication.logs import traces

LOADS = (0.7, 0.9, 1.0, 1.1)
SIZES = (250_000, 1_000_000)
MORE = 4_000_000


def repeated(workload, jobs, load):
    """Columns of a log repeated back to back, with its submissions scaled to a load.

    Parameters
    ----------
    workload : replication.logs.workload.Workload
    jobs : int
    load : float
        Of the machine from the first submission to the last.

    Returns
    -------
    submit, run_time, estimate, size : int64[jobs]
    """
    n = len(workload)
    times = -(-jobs // n)
    columns = (workload.run_time, workload.estimate, workload.processors)
    run_time, estimate, size = (np.tile(column, times)[:jobs] for column in columns)
    since = workload.submit - workload.submit[0]
    span = since[-1] + since[-1] // n
    submit = (since + span * np.arange(times)[:, None]).ravel()[:jobs]
    work = float((run_time.astype(float) * size).sum())
    now = work / (float(submit[-1]) * workload.machine)
    return np.rint(submit * (now / load)).astype(np.int64), run_time, estimate, size


def nanoseconds(run, columns, machine):
    """Thread time per job of one simulation, and the starts."""
    n = len(columns[0])
    start, backfilled = np.full(n, -1, np.int64), np.zeros(n, bool)
    began = time.thread_time()
    run(*columns, machine, True, start, backfilled)
    return (time.thread_time() - began) / n * 1e9, start


def main(plain=None, more=False, log="SDSC-BLUE"):
    """Print the table.

    Parameters
    ----------
    plain : Callable, optional
        The plain loop, called as the kernel; it is run on the smallest number of jobs alone.
    more : bool
        Whether `MORE` jobs are simulated too.
    """
    workload = traces.load(log)
    nanoseconds(easy, repeated(workload, 1000, 0.7), workload.machine)
    sizes = (*SIZES, MORE) if more else SIZES
    heads = "".join(f"{n:>12,}" for n in sizes)
    print(
        f"\nEASY on {log} repeated, ns/job by load and number of jobs\n  load{heads}   plain C++ on the first"
    )
    for load in LOADS:
        cells, scanned = "", ""
        for n in sizes:
            columns = repeated(workload, n, load)
            found, start = nanoseconds(easy, columns, workload.machine)
            cells += f"{found:>12,.0f}"
            if plain is not None and n == sizes[0]:
                theirs, same = nanoseconds(plain, columns, workload.machine)
                scanned = f"{theirs:>12,.0f}"
                if not np.array_equal(start, same):
                    raise SystemExit(f"load {load}: the C++ loop decides otherwise than the kernel")
        print(f"  {load:<4.0%}{cells}{scanned}", flush=True)


if __name__ == "__main__":
    main(more=True)
