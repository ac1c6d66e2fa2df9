#!/usr/bin/env python3
"""Write a sample of a log of the archive in whole minutes: sample.py LOG.swf.gz FIRST COUNT OUT.swf

FIRST is the number of the sample's first job. Submissions are rounded down, run times and estimates
up. As in the table of simulators, run times are cut at the estimates.
"""

import argparse
import gzip
import math
import random


def sample(lines, first, count, badness=None, seed=1):
    """Return the lines of a sample.

    Parameters
    ----------
    lines : iterable of str
        Of the log.
    first : int
        Number of the first job.
    count : int
        Number of jobs.
    badness : float, optional
        f of the f-model: an estimate is drawn between run time r and (f + 1) r. By default those of
        the users.
    seed : int

    Returns
    -------
    list of str
    """
    draw, header, jobs = random.Random(seed), [], []
    for line in lines:
        if line.startswith("; MaxProcs"):
            header = [f"; MaxProcs: {line.split()[2]}"]
        elif not line.startswith(";"):
            row = list(map(int, line.split()))
            size, run_time = row[7] if row[7] > 0 else row[4], min(row[3], row[8])
            if row[0] >= first and size > 0 and run_time > 0 and len(jobs) < count:
                jobs.append((row[0], row[1], run_time, size, row[8]))
    origin = jobs[0][1]
    for number, submit, run_time, size, estimate in jobs:
        if badness is not None:
            estimate = draw.uniform(run_time, (badness + 1) * run_time)
        minutes = (submit - origin) // 60, math.ceil(run_time / 60), math.ceil(estimate / 60)
        header.append(
            "{0} {1} -1 {2} {4} -1 -1 {4} {3} -1 1 1 1 -1 -1 -1 -1 -1".format(
                number, *minutes, size
            )
        )
    return header


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split(":")[0])
    parser.add_argument("log", metavar="LOG.swf.gz")
    parser.add_argument("first", type=int, metavar="FIRST")
    parser.add_argument("count", type=int, metavar="COUNT")
    parser.add_argument("out", metavar="OUT.swf")
    parser.add_argument(
        "--badness", type=float, metavar="F", help="draw estimates between r and (F + 1) r"
    )
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    with gzip.open(args.log, "rt") as log:
        rows = sample(log, args.first, args.count, args.badness, args.seed)
    with open(args.out, "w") as file:
        file.write("\n".join(rows) + "\n")
